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

local function duration(nodes, i)
  local ns = nodes.totalNs[i]
  if nodes.startNs[i] < 0 or nodes.endNs[i] < 0 then
    return 'did not run'
  end
  for _, unit in ipairs({ { 1e9, 's' }, { 1e6, 'ms' }, { 1e3, 'µs' } }) do
    if ns >= unit[1] then
      return string.format('%.3g %s', ns / unit[1], unit[2])
    end
  end
  return ns .. ' ns'
end

local function place(graph, i)
  local site = graph.texts.sites[tostring(graph.nodes.site[i])]
  if not site then
    return ''
  end
  return string.format('%s:%d', site.file:match('[^/]*$'), site.line)
end

-- The text that column `name` of node `i` points to in `texts`, '' for none.
local function text_of(graph, name, i)
  return graph.texts[name .. 's'][graph.nodes[name][i] + 1] or ''
end

-- One line a node, and by line number what it is about: a task, or a group that opens or closes.
local function outline(graph)
  local before = {}
  for i = 1, #graph.texts.ids do
    before[i] = {}
  end
  for e = 1, #graph.edges.from do
    table.insert(before[graph.edges.to[e] + 1], graph.texts.ids[graph.edges.from[e] + 1])
  end
  local lines = { graph.caption .. '   <CR>: to the source, or into a group, -: out of it, q: close' }
  local targets = {}
  for i, id in ipairs(graph.texts.ids) do
    local nodes = graph.nodes
    local is_group = text_of(graph, 'kind', i) == 'group'
    local where = is_group and nodes.tasks[i] .. ' tasks' or text_of(graph, 'worker', i)
    local line = string.format('%-10s %-20s %-12s %-8s %-20s', is_group and '+' or id,
      text_of(graph, 'label', i), duration(nodes, i), where, place(graph, i))
    if #before[i] > 0 and not is_group then
      line = line .. ' <- ' .. table.concat(before[i], ' ')
    end
    table.insert(lines, (line:gsub('\n', ' '):gsub('%s+$', '')))
    targets[#lines] = {
      task = nodes.task[i] >= 0 and nodes.task[i] or nil,
      group = nodes.canOpen[i] == 1 and id or nil,
      frame = graph.texts.frames[nodes.frame[i] + 1],
    }
  end
  return lines, targets
end

local show_outline

-- Asks for the graph with the groups `open` open.
local function ask(open)
  -- An empty table would become an object.
  client.request('tasklens/graph', #open > 0 and { open = open } or vim.empty_dict(), function(graph)
    show_outline(graph, open)
  end)
end

show_outline = function(graph, open)
  local lines, targets = outline(graph)
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
  local function target()
    return targets[vim.api.nvim_win_get_cursor(0)[1]] or {}
  end
  map('<CR>', function()
    local on = target()
    if on.task then
      require('tasklens').reveal(graph.trace, on.task)
    elseif on.group then
      ask(vim.list_extend({ on.group }, open))
    end
  end)
  map('-', function()
    local frame = target().frame
    if frame then
      ask(vim.tbl_filter(function(id)
        return id ~= frame
      end, open))
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
  if as_text or not has_browser() then
    ask({})
  else
    client.request('tasklens/graph', { svg = true }, show_page)
  end
end

return M
