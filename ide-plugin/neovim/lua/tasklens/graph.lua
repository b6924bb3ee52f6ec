-- SPDX-License-Identifier: Apache-2.0
-- The task graph: as a page for the browser, or as an outline in a buffer.
local client = require('tasklens.client')
local M = {}

local function has_browser()
  if #vim.api.nvim_list_uis() == 0 then
    return false
  end
  return vim.fn.has('mac') == 1 or vim.env.DISPLAY ~= nil or vim.env.WAYLAND_DISPLAY ~= nil
end

local function duration(node)
  if node.startNs == vim.NIL or node.endNs == vim.NIL or not node.endNs then
    return 'did not run'
  end
  local ns = node.endNs - node.startNs
  for _, unit in ipairs({ { 1e9, 's' }, { 1e6, 'ms' }, { 1e3, 'µs' } }) do
    if ns >= unit[1] then
      return string.format('%.3g %s', ns / unit[1], unit[2])
    end
  end
  return ns .. ' ns'
end

local function place(graph, node)
  local site = node.site and node.site ~= vim.NIL and graph.sites[tostring(node.site)]
  if not site then
    return ''
  end
  return string.format('%s:%d', site.file:match('[^/]*$'), site.line)
end

-- One line a node, and by line number the task that it is about.
local function outline(graph)
  local names, before = {}, {}
  for index, node in ipairs(graph.nodes) do
    names[index] = node.label
    before[index] = {}
  end
  for _, edge in ipairs(graph.edges) do
    table.insert(before[edge.to + 1], string.format('%s', graph.nodes[edge.from + 1].id))
  end
  local lines, tasks = { graph.caption .. '   <CR>: to the source, q: close' }, {}
  for index, node in ipairs(graph.nodes) do
    local worker = node.worker and node.worker ~= vim.NIL and node.worker or ''
    local line = string.format('%-10s %-20s %-12s %-8s %-20s', node.id, names[index],
      duration(node), worker, place(graph, node))
    if #before[index] > 0 then
      line = line .. ' <- ' .. table.concat(before[index], ' ')
    end
    table.insert(lines, (line:gsub('\n', ' '):gsub('%s+$', '')))
    tasks[#lines] = node.task
  end
  return lines, tasks
end

local function show_outline(graph)
  local lines, tasks = outline(graph)
  local buffer = vim.fn.bufadd('tasklens://graph')
  vim.fn.bufload(buffer)
  vim.bo[buffer].buftype = 'nofile'
  vim.bo[buffer].swapfile = false
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
  if vim.fn.bufwinid(buffer) == -1 then
    vim.cmd('botright split')
    vim.api.nvim_win_set_buf(0, buffer)
  else
    vim.api.nvim_set_current_win(vim.fn.bufwinid(buffer))
  end
  vim.wo.wrap = false
  local function map(key, fn)
    vim.keymap.set('n', key, fn, { buffer = buffer, nowait = true, silent = true })
  end
  map('<CR>', function()
    local task = tasks[vim.api.nvim_win_get_cursor(0)[1]]
    if task then
      require('tasklens').reveal(graph.trace, task)
    end
  end)
  map('q', '<Cmd>close<CR>')
end

local function show_page(graph)
  local folder = vim.fn.stdpath('cache') .. '/tasklens'
  vim.fn.mkdir(folder, 'p')
  local file = folder .. '/graph-' .. graph.trace .. '.svg'
  if vim.fn.writefile(vim.split(graph.svg, '\n', { plain = true }), file) ~= 0 then
    return client.error(file .. ': cannot be written')
  end
  local opener = vim.fn.has('mac') == 1 and 'open' or 'xdg-open'
  if vim.fn.executable(opener) == 0 then
    return client.notify('the graph is in ' .. file)
  end
  vim.fn.jobstart({ opener, file }, { detach = true })
  client.notify(graph.caption .. ': ' .. file)
end

function M.show(as_text)
  as_text = as_text or not has_browser()
  client.request('tasklens/graph', { svg = not as_text }, as_text and show_outline or show_page)
end

return M
