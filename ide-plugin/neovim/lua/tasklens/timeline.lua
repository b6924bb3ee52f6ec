-- SPDX-License-Identifier: Apache-2.0
-- The timeline as text: a row for each worker, a column for each interval. A column with tasks
-- shows the letter of its longest task: a capital if tasks take at least half of the column, else a
-- small letter. Other columns show '.' or '~' for the state with the most time. After each row
-- comes its share of time in tasks.
local beginning = require('tasklens.beginning')
local client = require('tasklens.client')
local light = require('tasklens.light')
local windows = require('tasklens.windows')
local M = {}

local NAME = 'tasklens://timeline'
local LABEL = 14 -- columns of the names of rows
local KEYS = '   <CR>: to the source, +: nearer, -: further, < >: along, =: all, q: close'
local namespace = vim.api.nvim_create_namespace('tasklens.timeline')
local asked = 0 -- the number of the last request; older answers are dropped

-- Letters of states without tasks; '~' for all others.
local STATES = { Nothing = ' ', Idle = '.', Sleeping = '.', ['Waiting task'] = '.', ['Waiting all tasks'] = '.' }

local HALF = 0.5 -- of a column: with this share of tasks the letter is a capital
local TICK = 16 -- least columns between two marks of the axis

-- By name: a letter of the name that no other name has, else any free letter, else '#'.
local function letters(names)
  local letter_of, taken = {}, {}
  for _, name in ipairs(names) do
    for letter in (name:upper():gsub('[^A-Z]', '') .. 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'):gmatch('.') do
      if not letter_of[name] and not taken[letter] then
        letter_of[name], taken[letter] = letter, true
      end
    end
    letter_of[name] = letter_of[name] or '#'
  end
  return letter_of
end

-- The contents of the columns of a row, from 1: slices of deeper layers replace others, but not
-- tasks.
local function columns_of(row, view)
  local columns = {}
  local span = view.to - view.from
  for _, layer in ipairs(row.layers) do
    for i = 1, #layer.start do
      -- Borders of columns are whole nanoseconds, rounded down.
      local first = math.min(math.floor((layer.start[i] + 1) / span * view.width), view.width - 1)
      local last = math.min(math.max(math.floor((layer['end'][i] + 1) / span * view.width), first + 1), view.width)
      local slice = { task = layer.task[i], name = layer.name[i], state = layer.state[i],
        colour = layer.colour[i], rgb = layer.rgb and layer.rgb[i] or -1, count = layer.count[i], ns = layer['end'][i] - layer.start[i] }
      for column = first + 1, last do
        local below = columns[column]
        if not below or below.name < 0 or slice.name >= 0 then
          columns[column] = slice
        end
      end
    end
  end
  return columns
end

-- True if a state is a task.
local function is_task(name)
  return name == 'Task' or name == 'Executing'
end

-- For each column of a row, from 1: the time in tasks of the program, and the state with the most
-- time: { tasks, has_tasks, state }; columns without data have a single state.
local function shares_of(row, view, states)
  local span, shares = view.to - view.from, {}
  local width = span / view.width
  for column = 1, view.width do
    shares[column] = { tasks = 0, has_tasks = false, ns = {} }
  end
  local function add(share, state, is_internal, ns)
    if is_task(states[state + 1]) and not is_internal then
      share.tasks, share.has_tasks = share.tasks + ns / width, true
    end
    share.ns[state] = (share.ns[state] or 0) + ns
  end
  local mixed, told = client.is_some(row.mixed) and row.mixed or nil, {}
  for i = 1, mixed and #mixed.start or 0 do
    local column = math.min(math.floor((mixed.start[i] + mixed['end'][i]) / 2 / width) + 1, view.width)
    told[column] = width
    for _, kind in ipairs(mixed.kinds) do
      if kind.ns[i] > 0 then
        add(shares[column], kind.state, kind.internal, kind.ns[i])
      end
    end
    shares[column].has_tasks = shares[column].has_tasks or mixed.tasks[i] > 0
  end
  -- A deeper state hides the states below.
  for depth = #row.layers, 1, -1 do
    local layer, here = row.layers[depth], {}
    for i = 1, #layer.start do
      local first = math.max(math.floor(layer.start[i] / width), 0)
      for column = first + 1, math.min(math.ceil(layer['end'][i] / width), view.width) do
        local ns = math.min(layer['end'][i], column * width) - math.max(layer.start[i], (column - 1) * width)
        ns = math.min(ns, width - (told[column] or 0))
        if ns > width / 1000 then -- less is a rounding error
          add(shares[column], layer.state[i], layer.internal and layer.internal[i] == 1, ns)
          here[column] = (here[column] or 0) + ns
        end
      end
    end
    for column, ns in pairs(here) do
      told[column] = (told[column] or 0) + ns
    end
  end
  for _, share in ipairs(shares) do
    local most = 0
    for state, ns in pairs(share.ns) do
      if states[state + 1] ~= 'Nothing' and ns > most then
        most, share.state = ns, states[state + 1]
      end
    end
  end
  return shares
end

-- The marks of the time axis, as wide as the rows.
local function axis(view)
  local span = view.to - view.from
  local rough = span / math.max(1, view.width / TICK)
  local step = 10 ^ math.floor(math.log10(math.max(rough, 1)))
  for _, factor in ipairs({ 1, 2, 5, 10 }) do
    if step * factor >= rough then
      step = step * factor
      break
    end
  end
  local line, columns = '', 0
  local at = math.ceil(view.from / step) * step
  while at < view.to do
    local column = math.floor((at - view.from) / span * view.width)
    local text = '|' .. windows.time(at, step)
    local wide = vim.fn.strdisplaywidth(text)
    if column >= columns and column + wide <= view.width then
      line = line .. string.rep(' ', column - columns) .. text
      columns = column + wide
    end
    at = at + step
  end
  return string.rep(' ', LABEL + 1) .. line .. string.rep(' ', view.width - columns) .. '  in tasks'
end

-- "4.7 %", "37 %".
local function percent(share)
  return string.format(share > 0 and share < 0.0995 and '%.1f %%' or '%.0f %%', share * 100)
end

-- The program's colour for the task, else that of its codelet, which may not be in the legend.
local function rgb_of(reply, slice)
  local texts = reply.texts
  if client.is_some(texts.nameRgb) and slice.name >= 0 then
    return slice.rgb >= 0 and slice.rgb or texts.nameRgb[slice.name + 1]
  end
  return reply.legend.entries[slice.colour + 1].rgb
end

-- Returns the lines, and by line number the columns of its row.
local function draw_rows(reply, view)
  local texts = reply.texts
  local letter_of = letters(texts.names)
  local step = (view.to - view.from) / view.width
  local zero = reply.zeroNs or 0 -- the zero of displayed times
  local clock = { from = view.from - zero, to = view.to - zero, width = view.width }
  local lines = { string.format('%s to %s%s, %s a column%s', windows.time(clock.from, step), windows.time(clock.to, step),
    beginning.part(reply.trace), windows.duration(step), KEYS), axis(clock) }
  local rows, is_used = {}, {}
  for _, row in ipairs(reply.rows) do
    local columns, shares, cells, is_busy, in_tasks = columns_of(row, view), shares_of(row, view, texts.states), {}, false, 0
    for column = 1, view.width do
      local slice, share = columns[column], shares[column]
      local name = slice and slice.name >= 0 and texts.names[slice.name + 1]
      -- The runtime's own tasks count as its overhead.
      local letter = name and (share.has_tasks or slice.task < 0) and letter_of[name]
      if letter and share.has_tasks and share.tasks < HALF then
        letter = letter:lower()
      end
      local state = share.state or slice and texts.states[slice.state + 1]
      cells[column] = letter or state and (STATES[state] or '~') or ' '
      in_tasks = in_tasks + math.min(share.tasks, 1) / view.width
      is_busy = is_busy or cells[column] ~= ' '
      if letter then
        is_used[name] = true
      end
    end
    if is_busy then
      local label = windows.fit(texts.rows[row.row + 1].name, LABEL)
      local is_worker = texts.rows[row.row + 1].kind == 'worker'
      table.insert(lines, label .. '|' .. table.concat(cells) .. '|' .. ((is_worker or in_tasks > 0) and '  ' .. percent(in_tasks) or ''))
      rows[#lines] = { columns = columns, begin = #label + 1 }
    end
  end
  local legend = {}
  for _, name in ipairs(texts.names) do
    if is_used[name] then
      table.insert(legend, letter_of[name] .. ' ' .. windows.fit(name, 24):gsub('%s+$', ''))
    end
  end
  table.insert(legend, 'capital: half of the column or more in tasks, small: less   . waits   ~ other states')
  table.insert(lines, table.concat(legend, '   '))
  return lines, rows
end

local ask

-- Colours neighbouring columns of the same slice with one mark.
local function colour_rows(buffer, rows, reply, view)
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  for number, row in pairs(rows) do
    local first = 1
    for column = 1, view.width do
      local slice = row.columns[column]
      if slice ~= row.columns[column + 1] then
        if slice then
          vim.api.nvim_buf_set_extmark(buffer, namespace, number - 1, row.begin + first - 1, {
            end_col = row.begin + column,
            hl_group = windows.colour(rgb_of(reply, slice)),
          })
        end
        first = column + 1
      end
    end
  end
end

local function show(reply, view, focus, turn)
  local lines, rows = draw_rows(reply, view)
  local buffer = windows.show_text(NAME, lines, focus, turn)
  colour_rows(buffer, rows, reply, view)
  beginning.register(buffer, reply.trace, view.asked, function()
    local is_all = view.from == view.first and view.to == view.last
    M.show(false, reply.trace, not is_all and view or nil)
  end)
  light.register(buffer, reply.trace, function(is_lit)
    local places = {}
    for number = 1, #lines do
      for column = 1, rows[number] and view.width or 0 do
        local slice = rows[number].columns[column]
        if slice and is_lit[slice.task] then
          local at = rows[number].begin + column - 1
          table.insert(places, { number - 1, at, at + 1 })
        end
      end
    end
    return places
  end)
  -- The slice under the cursor, and the cursor's share of the width.
  local function under_cursor()
    local cursor = vim.api.nvim_win_get_cursor(0)
    local row = rows[cursor[1]]
    local column = row and cursor[2] - row.begin + 1 or 0
    return row and row.columns[column], math.min(math.max((column - 0.5) / view.width, 0), 1)
  end
  local function visit(stays)
    local slice = under_cursor()
    if slice and slice.task >= 0 then
      require('tasklens').reveal(reply.trace, slice.task, not stays)
    elseif not stays then
      client.notify('no task is here')
    end
  end
  -- Zooms by `factor` around the cursor, then moves by `along` widths.
  local function move(factor, along)
    local _, share = under_cursor()
    local span = view.to - view.from
    local new = math.max(math.floor(span * factor), view.width)
    local from = math.floor(view.from + (span - new) * share + along * span)
    from = math.min(math.max(from, view.first), math.max(view.last - new, view.first))
    ask({ trace = reply.trace, first = view.first, last = view.last, from = from, to = math.min(from + new, view.last),
      asked = view.asked }, true)
  end
  local keys = {
    ['<CR>'] = function() visit(false) end,
    ['<2-LeftMouse>'] = function() visit(false) end,
    ['<LeftRelease>'] = function() visit(true) end,
    ['+'] = function() move(0.5, 0) end,
    ['-'] = function() move(2, 0) end,
    ['<'] = function() move(1, -0.5) end,
    ['>'] = function() move(1, 0.5) end,
    ['='] = function() M.show(true, reply.trace) end,
  }
  for key, fn in pairs(keys) do
    windows.map(buffer, key, fn)
  end
end

-- Requests the data of `view`: `trace`, its interval `from` and `to`, and the limits `first` and
-- `last`, as they were at `asked`.
ask = function(view, focus)
  asked = asked + 1
  local question, from, turn = asked, windows.place(), windows.turn()
  view.width = math.max(vim.o.columns - LABEL - 12, 20)
  client.request('tasklens/timeline', {
    trace = view.trace, fromNs = view.from, toNs = view.to, pixels = view.width,
  }, function(reply)
    if question == asked then
      show(reply, view, focus and windows.is_at(from), turn)
    end
  end)
end

-- Shows the interval `from` to `to` of `part` in `trace` (nil: the newest); nil: the measured
-- interval.
function M.show(focus, trace, part)
  local from, when = windows.place(), beginning.now()
  client.request('tasklens/overview', { trace = trace, limit = 1, reasons = false }, function(reply)
    local first, last = reply.beginNs, math.max(reply.endNs, reply.beginNs + 1)
    ask({ trace = reply.trace, first = first, last = last, from = part and part.from or first,
      to = part and part.to or last, asked = when }, focus and windows.is_at(from))
  end)
end

return M
