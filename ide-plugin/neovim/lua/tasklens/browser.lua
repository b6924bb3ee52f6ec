-- SPDX-License-Identifier: Apache-2.0
-- The run as one page in the user's browser: graph, timeline and tables, written by `tasklens report`.
local client = require('tasklens.client')
local M = {}

-- The command that opens a file, or nil.
local function opener()
  local browser = client.config.browser
  if browser then
    return type(browser) == 'table' and browser or { browser }
  end
  local is_mac = vim.fn.has('mac') == 1
  if #vim.api.nvim_list_uis() > 0 and (is_mac or vim.env.DISPLAY or vim.env.WAYLAND_DISPLAY) then
    local name = is_mac and 'open' or 'xdg-open'
    return vim.fn.executable(name) == 1 and { name } or nil
  end
end

function M.is_there()
  return opener() ~= nil
end

function M.show()
  client.request('tasklens/traces', vim.empty_dict(), function(reply)
    local trace = reply.traces[1]
    if not trace then
      return client.error('no trace is open; run a program or open a trace first')
    end
    local folder = vim.fn.stdpath('cache') .. '/tasklens'
    vim.fn.mkdir(folder, 'p')
    local page = folder .. '/report-' .. trace.trace .. '.html'
    local words = vim.list_extend({ client.server_command()[1], 'report', '-o', page }, trace.paths)
    local said = {}
    vim.fn.jobstart(words, {
      cwd = client.running_in(),
      stderr_buffered = true,
      on_stderr = function(_, lines)
        said = lines
      end,
      on_exit = function(_, status)
        if status ~= 0 then
          return client.error(table.concat(said, ' '))
        end
        local command = vim.list_extend(vim.deepcopy(opener()), { page })
        if vim.fn.executable(command[1]) == 0 then
          return client.error('the browser ' .. command[1] .. ' is not a program; the page is ' .. page)
        end
        vim.fn.jobstart(command, { detach = true })
        client.notify(trace.title .. ': ' .. page)
      end,
    })
  end)
end

return M
