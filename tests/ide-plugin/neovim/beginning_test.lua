-- SPDX-License-Identifier: Apache-2.0
-- A large trace: its beginning is shown at once, says that it is one, and becomes the whole.
local client = require('tasklens.client')
local small = TEST .. '/tests/data/starpu/stencil_2k/prof_file_0'
local trace = WORK .. '/prof_file_0'
local TIMES, TASKS = 40, 2202 -- 195 MB; tasks of the small one

vim.fn.system({ TEST .. '/bench/large_trace', small, tostring(TIMES), trace })
expect_equal(vim.v.shell_error, 0)
require('tasklens').setup({ first_mib = 4 }) -- 2.1 % of it
vim.env.TASKLENS_SAVED_TRACES = 'off' -- else the second time all of it is there at once

case('its beginning says that it is one, and what is shown becomes the whole', function()
  vim.cmd('TaskLensOpen ' .. trace)
  local said = wait_for_message('submission sites; the rest is being read').text
  assert(said:find(' tasks of the first 2.1 % on 2 workers', 1, true), said)
  wait_for_text('tasklens://graph', ' of the first 2.1 %')
  local all = string.format('%d tasks on 2 workers', TIMES * TASKS)
  wait_for_message(all)
  wait_for_text('tasklens://graph', ' of 88,080 tasks')
  vim.cmd('TaskLensTimeline!')
  local whole = wait_for_text('tasklens://timeline', ' to 3.')[1] -- seconds
  assert(not whole:find('of the first', 1, true), whole)
  -- Tasks of microseconds in columns of many milliseconds, with states within them.
  local rows = wait_for_text('tasklens://timeline', ' a column')
  local row = rows[line_of(rows, 'CPU0')]
  local cells = row:match('|(.*)|')
  assert(select(2, cells:gsub('%a', '')) > #cells / 2, 'tasks are hidden: ' .. row)
  expect_equal(vim.fn.bufwinid('^tasklens://graph$'), -1, 'whether the graph gave its place to the timeline')
  vim.cmd('TaskLensTasks')
  wait('the costs of all', function()
    return vim.fn.getqflist({ title = 1 }).title:find(string.format(', %d tasks$', TIMES * TASKS))
  end)
end)

-- Of each column of a row the share of its time in tasks, from an answer with sixteen pixels a column.
local FINE = 16
local function shares_of(row, states, columns, span)
  local shares, told, pixel_ns = {}, {}, span / (columns * FINE)
  for column = 1, columns do
    shares[column] = 0
  end
  local function add(at, ns)
    local column = math.min(math.floor(at / (pixel_ns * FINE)) + 1, columns)
    shares[column] = shares[column] + ns / (pixel_ns * FINE)
  end
  local function is_task(state, is_internal)
    return not is_internal and (states[state + 1] == 'Task' or states[state + 1] == 'Executing')
  end
  for i = 1, client.is_some(row.mixed) and #row.mixed.start or 0 do
    local middle = (row.mixed.start[i] + row.mixed['end'][i]) / 2
    told[math.floor(middle / pixel_ns)] = true
    for _, kind in ipairs(row.mixed.kinds) do
      if is_task(kind.state, kind.internal) then
        add(middle, kind.ns[i])
      end
    end
  end
  for depth = #row.layers, 1, -1 do
    local layer, here = row.layers[depth], {}
    for i = 1, #layer.start do
      for pixel = math.floor(layer.start[i] / pixel_ns + 0.5), math.floor(layer['end'][i] / pixel_ns - 0.5) do
        if not told[pixel] then
          here[pixel] = true
          if is_task(layer.state[i], layer.internal and layer.internal[i] == 1) then
            add((pixel + 0.5) * pixel_ns, pixel_ns)
          end
        end
      end
    end
    for pixel in pairs(here) do
      told[pixel] = true
    end
  end
  return shares
end

case('a letter is a capital where tasks take half of its column or more, at any zoom', function()
  local overview
  client.request('tasklens/overview', { limit = 1, reasons = false }, function(reply)
    overview = reply
  end)
  wait('the overview', function()
    return overview
  end)
  math.randomseed(5)
  local small_ones, capitals = 0, 0
  for zoom = 1, 7 do
    local span = math.floor((overview.endNs - overview.beginNs) / 6 ^ zoom)
    local from = overview.beginNs + math.random(0, overview.endNs - overview.beginNs - span)
    local view = { trace = overview.trace, from = from, to = from + span }
    local before = table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr('tasklens://timeline'), 0, -1, false), '\n')
    require('tasklens.timeline').show(false, view.trace, view)
    local lines
    wait('another view', function()
      lines = vim.api.nvim_buf_get_lines(vim.fn.bufnr('tasklens://timeline'), 0, -1, false)
      return table.concat(lines, '\n') ~= before
    end)
    local columns = #lines[line_of(lines, 'CPU0')]:match('|(.*)|')
    local fine
    client.request('tasklens/timeline', { trace = view.trace, fromNs = view.from, toNs = view.to, pixels = columns * FINE }, function(reply)
      fine = reply
    end)
    wait('a finer answer', function()
      return fine
    end)
    assert(lines[2]:find('|%d.*in tasks$'), 'no axis: ' .. lines[2])
    for _, row in ipairs(fine.rows) do
      local name = fine.texts.rows[row.row + 1].name
      if name:find('^CPU') then
        local line = lines[line_of(lines, name)]
        local cells, shares, all = line:match('|(.*)|'), shares_of(row, fine.texts.states, columns, span), 0
        for column, share in ipairs(shares) do
          local cell = cells:sub(column, column)
          all = all + share / columns
          if cell:find('%u') then
            capitals = capitals + 1
            assert(share > 0.49, string.format('%s is %.2f in column %d of %s', cell, share, column, line))
          elseif cell:find('%l') then
            small_ones = small_ones + 1
            assert(share < 0.51, string.format('%s is %.2f in column %d of %s', cell, share, column, line))
          else
            assert(share < 0.01, string.format('%s hides %.2f in column %d of %s', cell, share, column, line))
          end
        end
        local said = tonumber(line:match('|  ([%d.]+) %%$'))
        assert(math.abs(said - 100 * all) < 1, string.format('%.1f %% in tasks: %s', 100 * all, line))
      end
    end
  end
  assert(small_ones > 20 and capitals > 20, small_ones .. ' small ones and ' .. capitals .. ' capitals')
end)

case('its rest is given up, and the beginning stays', function()
  require('tasklens').setup({ first_mib = 1 })
  vim.cmd('TaskLensOpen ' .. trace)
  wait_for_message('; the rest is being read')
  wait('that the reading is told', function()
    for _, what in ipairs(client.cancel()) do
      return what == 'reading the rest of prof_file_0'
    end
  end)
  local opened
  wait('what became of it', function()
    client.request('tasklens/traces', vim.empty_dict(), function(reply)
      opened = reply.traces[1]
    end)
    return opened and (opened.read == 1 or client.is_some(opened.notRead))
  end)
  if opened.read == 1 then
    io.stdout:write('the reading had ended before it was given up\n')
  else
    assert(opened.notRead:find('reading was stopped', 1, true), opened.notRead)
    expect_equal(require('tasklens.beginning').part('t1') ~= '', true, 'whether the texts say that it is a part')
  end
  -- The next server's traces are others.
  vim.loop.kill(client.pid(), 'sigkill')
  wait_for_message('the server has ended by signal 9')
  expect_equal(require('tasklens.beginning').part('t1'), '', 'what is said of its trace t1')
  messages = {}
end)

case('0 reads all of it first', function()
  require('tasklens').setup({ first_mib = 0 })
  vim.cmd('TaskLensOpen ' .. trace)
  local said = wait_for_message('submission sites').text
  assert(said:find(string.format('%d tasks on 2 workers, ', TIMES * TASKS), 1, true), said)
end)
