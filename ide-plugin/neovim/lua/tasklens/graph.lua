-- SPDX-License-Identifier: Apache-2.0
-- The task graph as an outline in a buffer: one line for each task or group; groups open.
local beginning = require('tasklens.beginning')
local client = require('tasklens.client')
local light = require('tasklens.light')
local windows = require('tasklens.windows')
local M = {}

local NAME = 'tasklens://graph'
local namespace = vim.api.nvim_create_namespace('tasklens.graph')
local asked = 0 -- the number of the last request; older answers are dropped

local function duration(nodes, i)
  if nodes.startNs[i] < 0 or nodes.endNs[i] < 0 then
    return 'did not run'
  end
  return windows.duration(nodes.totalNs[i])
end

local function place(graph, i)
  local site = graph.texts.sites[tostring(graph.nodes.site[i])]
  if not site then
    return ''
  end
  return string.format('%s:%d', windows.one_line(site.file:match('[^/]*$')), site.line)
end

-- The text of node `i` in column `name`, an index into `texts`; '' for none.
local function text_of(graph, name, i)
  return graph.texts[name .. 's'][graph.nodes[name][i] + 1] or ''
end

-- Returns one line for each node, and by line number its subject: a task, or a group that opens or
-- closes.
local function outline(graph)
  local before = {}
  for i = 1, #graph.texts.ids do
    before[i] = {}
  end
  for e = 1, #graph.edges.from do
    table.insert(before[graph.edges.to[e] + 1], graph.texts.ids[graph.edges.from[e] + 1])
  end
  local lines = { graph.caption .. beginning.part(graph.trace) .. '   <CR>: to the source, or into a group, -: out of it, q: close' }
  local targets = {}
  for i, id in ipairs(graph.texts.ids) do
    local nodes = graph.nodes
    local is_group = text_of(graph, 'kind', i) == 'group'
    local where = is_group and nodes.tasks[i] .. ' tasks' or text_of(graph, 'worker', i)
    local label = windows.fit(text_of(graph, 'label', i), 20)
    local line = table.concat({ windows.fit(is_group and '+' or id, 10), label, windows.fit(duration(nodes, i), 12),
      windows.fit(where, 8), windows.fit(place(graph, i), 20) }, ' ')
    if #before[i] > 0 and not is_group then
      line = line .. ' <- ' .. table.concat(before[i], ' ')
    end
    table.insert(lines, (windows.one_line(line):gsub('%s+$', '')))
    targets[#lines] = {
      task = nodes.task[i] >= 0 and nodes.task[i] or nil,
      group = nodes.canOpen[i] == 1 and id or nil,
      frame = graph.texts.frames[nodes.frame[i] + 1],
      site = nodes.site[i],
      label_end = 11 + #label,
      rgb = nodes.paint[i],
    }
  end
  return lines, targets
end

local ask

local function draw(graph, open, focus, when, turn)
  local lines, targets = outline(graph)
  local buffer = windows.show_text(NAME, lines, focus, turn)
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  for number, target in pairs(targets) do
    vim.api.nvim_buf_set_extmark(buffer, namespace, number - 1, 11, {
      end_col = math.min(target.label_end, #lines[number]),
      hl_group = windows.colour(target.rgb),
    })
  end
  beginning.register(buffer, graph.trace, when, function()
    ask(graph.trace, open, false)
  end)
  light.register(buffer, graph.trace, function(is_lit, site)
    local places = {}
    for number, target in pairs(targets) do
      if is_lit[target.task or -1] or (not target.task and site and target.site == site) then
        table.insert(places, { number - 1 })
      end
    end
    table.sort(places, function(a, b)
      return a[1] < b[1]
    end)
    return places
  end)
  local function target()
    return targets[vim.api.nvim_win_get_cursor(0)[1]] or {}
  end
  -- `stays`: the cursor remains in the graph.
  local function visit(stays)
    local on = target()
    if on.task then
      require('tasklens').reveal(graph.trace, on.task, not stays)
    elseif on.group and not stays then
      ask(graph.trace, vim.list_extend({ on.group }, open), true)
    end
  end
  for _, key in ipairs({ '<CR>', '<2-LeftMouse>' }) do
    windows.map(buffer, key, function()
      visit(false)
    end)
  end
  windows.map(buffer, '<LeftRelease>', function()
    visit(true)
  end)
  windows.map(buffer, '-', function()
    local frame = target().frame
    if frame then
      ask(graph.trace, vim.tbl_filter(function(id)
        return id ~= frame
      end, open), true)
    end
  end)
end

-- Requests the graph of `trace` (nil: the newest) with the groups `open` open. With `focus` the
-- cursor moves into it, unless the user has moved before the answer.
ask = function(trace, open, focus, done)
  asked = asked + 1
  local question, from, when, turn = asked, windows.place(), beginning.now(), windows.turn()
  -- `svg` is set only because an empty table would become an array.
  client.request('tasklens/graph', { trace = trace, open = #open > 0 and open or nil, svg = false }, function(graph)
    if question == asked then
      draw(graph, open, focus and windows.is_at(from), when, turn)
    end
    if done then
      done()
    end
  end)
end

-- Calls `done()`, if given, when the graph is shown.
function M.show(focus, trace, done)
  ask(trace, {}, focus, done)
end

return M
