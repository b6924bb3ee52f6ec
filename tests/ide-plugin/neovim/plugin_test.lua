-- SPDX-License-Identifier: Apache-2.0
-- Each command of the plugin, on the trace of a real run.
local tasklens = require('tasklens')
local client = require('tasklens.client')
local light = require('tasklens.light')
local hello = TEST .. '/tests/data/starpu/hello/prof_file_0'

local function setup_sources()
  vim.fn.writefile(vim.fn.readfile(TEST .. '/tests/data/starpu/src/hello.c'), WORK .. '/hello.c')
end

local function script(name, lines)
  table.insert(lines, 1, '#!/bin/sh')
  vim.fn.writefile(lines, WORK .. '/' .. name)
  vim.fn.setfperm(WORK .. '/' .. name, 'rwxr-xr-x')
  return './' .. name
end

local function submitting_lines()
  local found = {}
  for number, line in ipairs(read(WORK .. '/hello.c')) do
    if line:find('starpu_task_insert(', 1, true) then
      table.insert(found, number)
    end
  end
  return found
end

case('times tell steps apart, also of a run without length', function()
  local time = require('tasklens.windows').time
  expect_equal({ time(157083456, 2e4), time(157083456, 2e6), time(5, 0), time(0, 0) },
    { '157.08 ms', '157 ms', '5 ns', '0 ns' })
end)

case('a server that is not there is one clear line', function()
  require('tasklens').setup({ server = '/nowhere/tasklens' })
  vim.cmd('TaskLensTasks')
  expect_equal(messages[1].level, vim.log.levels.ERROR)
  wait_for_message('the server /nowhere/tasklens is not a program; correct the option server')
  require('tasklens').setup({ server = SERVER })
end)

case('a wrong option is one clear line', function()
  tasklens.setup({ nonsense = 1 })
  wait_for_message('no option is called nonsense')
end)

case('requests without a trace are one clear line', function()
  for _, command in ipairs({ 'TaskLensTasks', 'TaskLensGraph', 'TaskLensTimeline', 'TaskLensAdvice' }) do
    vim.cmd(command)
    wait_for_message('no trace is open; run a program or open a trace first')
  end
  vim.cmd('TaskLensStop')
  wait_for_message('no program is running')
  vim.cmd('TaskLensCancel')
  wait_for_message('nothing is being read')
  vim.cmd('TaskLensSite')
  wait_for_message('no task of an open trace was submitted on this line')
  vim.cmd('TaskLensRuns')
  wait_for_message('no run is kept yet in ' .. WORK)
  vim.cmd('TaskLensCompare')
  wait_for_message('there is nothing to compare with')
  vim.cmd('TaskLensRun')
  wait_for_message('which program?')
  vim.cmd('TaskLensOpen nowhere')
  wait_for_message(WORK .. '/nowhere')
  vim.cmd('TaskLensRun ./nowhere')
  wait_for_message('no such program; is it built?')
end)

case('lenses show what each line costs, after opening a trace', function()
  setup_sources()
  vim.cmd('edit hello.c')
  vim.bo.filetype = 'c'
  local buffer = vim.api.nvim_get_current_buf()
  vim.cmd('TaskLensOpen ' .. hello)
  wait_for_message('3 tasks on 2 workers, 3 submission sites')
  wait('lenses', function()
    return client.lens_count(buffer) == 4 -- three sites and `main`
  end)
  vim.api.nvim_win_set_cursor(0, { submitting_lines()[2], 0 })
  vim.cmd('TaskLensSite')
  wait_for_message('scale: 1 task')
end)

case('lenses follow an edit', function()
  vim.cmd('edit hello.c')
  local buffer = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, { '/* nothing */' })
  vim.cmd('doautocmd TextChanged')
  wait('no lens', function()
    return client.lens_count(buffer) == 0
  end)
  vim.cmd('undo')
  vim.cmd('doautocmd TextChanged')
  wait('lenses again', function()
    return client.lens_count(buffer) == 4 -- three sites and `main`
  end)
  vim.cmd('edit!')
end)

case('the quickfix list names submission sites', function()
  vim.cmd('TaskLensTasks')
  wait('quickfix', function()
    return #vim.fn.getqflist() == 3
  end)
  local lines = {}
  for _, item in ipairs(vim.fn.getqflist()) do
    expect_equal(vim.fn.bufname(item.bufnr), 'hello.c')
    assert(item.text:find('1 task · ', 1, true), item.text)
    table.insert(lines, item.lnum)
  end
  table.sort(lines)
  expect_equal(lines, submitting_lines())
  vim.cmd('cclose')
end)

case('<CR> in the outline goes to the source', function()
  vim.cmd('TaskLensGraph')
  local lines = wait_for_text('tasklens://graph', '3 of 3 tasks')
  expect_equal(vim.api.nvim_buf_get_name(0), 'tasklens://graph')
  expect_equal(#lines, 4)
  assert(lines[4]:find('print') and lines[4]:find('<- task_2'), lines[4])
  vim.api.nvim_win_set_cursor(0, { 4, 0 })
  press('<CR>')
  wait('source', function()
    return vim.api.nvim_buf_get_name(0) == WORK .. '/hello.c'
  end)
  expect_equal(vim.api.nvim_win_get_cursor(0)[1], submitting_lines()[3])
  go_to('tasklens://graph')
  press('q')
  expect_equal(vim.fn.bufwinid('tasklens://graph'), -1)
end)

case('the timeline is text, a letter a task; <CR> goes to the source', function()
  vim.cmd('edit hello.c')
  vim.cmd('TaskLensTimeline')
  local lines = wait_for_text('tasklens://timeline', ' a column')
  expect_equal(vim.api.nvim_buf_get_name(0), 'tasklens://timeline')
  local letter = lines[#lines]:match('(%u) scale')
  for number, line in ipairs(lines) do
    -- A short task's letter is a small one.
    local cells = number > 2 and number < #lines and line:match('|(.*)|')
    local column = cells and cells:upper():find(letter, 1, true) and line:upper():find(letter, line:find('|', 1, true), true)
    if column then
      vim.api.nvim_win_set_cursor(0, { number, column - 1 })
      press('<CR>')
      break
    end
  end
  wait('source', function()
    return vim.api.nvim_buf_get_name(0) == WORK .. '/hello.c'
  end)
  expect_equal(vim.api.nvim_win_get_cursor(0)[1], submitting_lines()[2])
end)

case('the timeline goes nearer, along and back', function()
  local function first_line()
    return vim.api.nvim_buf_get_lines(vim.fn.bufnr('tasklens://timeline'), 0, 1, false)[1]
  end
  vim.cmd('TaskLensTimeline!')
  wait_for_text('tasklens://timeline', ' a column')
  local seen = { first_line() }
  vim.api.nvim_win_set_cursor(0, { 1, 0 }) -- `+` keeps what is under the cursor, here the beginning
  for _, key in ipairs({ '+', '>', '<lt>', '=' }) do
    press(key)
    wait('what ' .. key .. ' shows', function()
      return first_line() ~= seen[#seen]
    end)
    table.insert(seen, first_line())
  end
  expect_equal(seen[4], seen[2])
  expect_equal(seen[5], seen[1])
end)

case('the caret on a line lights up its tasks, also in a text that is opened later', function()
  vim.cmd('edit hello.c')
  local first = submitting_lines()[1]
  vim.api.nvim_win_set_cursor(0, { first, 0 })
  vim.cmd('doautocmd CursorMoved')
  for _, one in ipairs({ { 'Graph', '3 of 3 tasks' }, { 'Timeline', ' a column' } }) do
    vim.cmd('TaskLens' .. one[1] .. '!')
    local name = 'tasklens://' .. one[1]:lower()
    wait_for_text(name, one[2])
    expect_equal(vim.api.nvim_get_current_buf(), vim.fn.bufnr(name), 'the buffer with the cursor')
    wait('the task of the line from which it was opened', function()
      return #light.lit_lines(vim.fn.bufnr(name)) == 1
    end)
    expect_equal(#vim.api.nvim_list_wins(), 2, 'windows: the source, and one for all texts')
    vim.api.nvim_set_current_win(vim.fn.bufwinid('hello.c'))
    local view = vim.fn.bufnr(name)
    for n, number in ipairs(submitting_lines()) do
      vim.api.nvim_win_set_cursor(0, { number, 0 })
      vim.cmd('doautocmd CursorMoved')
      wait('the task of line ' .. number, function()
        local lit = light.lit_lines(view)
        return one[1] == 'Graph' and vim.deep_equal(lit, { n + 1 }) or one[1] == 'Timeline' and #lit == 1
      end)
      wait('the cursor of the graph there', function()
        return one[1] ~= 'Graph' or vim.api.nvim_win_get_cursor(vim.fn.bufwinid(view))[1] == n + 1
      end)
    end
    vim.api.nvim_win_set_cursor(0, { 1, 0 })
    vim.cmd('doautocmd CursorMoved')
    wait('nothing lit', function()
      return #light.lit_lines(view) == 0
    end)
    vim.api.nvim_win_set_cursor(0, { first, 0 })
    vim.cmd('doautocmd CursorMoved')
  end
  vim.cmd('TaskLensAdvice')
  wait('the list in its place, or that there is nothing', function()
    return vim.fn.getqflist({ winid = 0 }).winid ~= 0 or #vim.tbl_filter(function(message)
      return message.text:find('no findings', 1, true) ~= nil
    end, messages) > 0
  end)
  if vim.fn.getqflist({ winid = 0 }).winid ~= 0 then
    expect_equal(#vim.api.nvim_list_wins(), 2, 'windows: the source, and one for all lists')
  end
  vim.fn.setqflist({}, 'f')
end)

case('a graph that comes late leaves the cursor where the user has gone', function()
  vim.cmd('edit hello.c')
  vim.cmd('TaskLensGraph!')
  vim.cmd('edit other.txt')
  local window = vim.api.nvim_get_current_win()
  wait_for_text('tasklens://graph', '3 of 3 tasks')
  expect_equal(vim.fn.bufname(), 'other.txt')
  expect_equal(vim.api.nvim_get_current_win(), window)
end)

case('the browser gets the run as one page', function()
  local opened = WORK .. '/opened'
  tasklens.setup({ browser = { script('browse', { 'cp "$1" ' .. opened .. '.part && mv ' .. opened .. '.part ' .. opened }) } })
  for _, command in ipairs({ 'TaskLensGraph', 'TaskLensTimeline' }) do
    vim.cmd(command)
    wait('the page', function()
      return vim.fn.filereadable(opened) == 1
    end)
    local page = table.concat(read(opened), '\n')
    assert(page:find('<!doctype html>') and page:find('scale', 1, true))
    vim.fn.delete(opened)
  end
  tasklens.setup({ browser = '/nowhere/browser' })
  vim.cmd('TaskLensGraph')
  wait_for_message('the browser /nowhere/browser is not a program; the page is')
  require('tasklens.client').config.browser = nil
end)

case('a run shows its output and its end', function()
  vim.cmd('TaskLensRun ' .. script('record', {
    'cp "' .. hello .. '" "$STARPU_FXT_PREFIX/trace_0"',
    'printf "one\\ntw"; printf "o %s\\n" "$1"; echo three >&2',
  }) .. ' a\\ b')
  wait_for_run('record exited with status 0; its trace has 3 tasks')
  local output = vim.fn.bufnr('tasklens://output')
  local text = table.concat(vim.api.nvim_buf_get_lines(output, 0, -1, false), '\n')
  assert(text:find('one\ntwo a b\n', 1, true), text)
  assert(text:find('three', 1, true), text)
  wait_for_text('tasklens://graph', '3 of 3 tasks')
end)

case('a run leads on to its findings, and not who has gone elsewhere', function()
  vim.cmd('edit hello.c')
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  vim.cmd('TaskLensRun ./record')
  wait('the cursor on a line that submits', function()
    return vim.tbl_contains(submitting_lines(), vim.api.nvim_win_get_cursor(0)[1])
  end)
  wait_for_message('TaskLensAdvice')
  messages = {}
  vim.cmd('TaskLensRun ./record')
  vim.api.nvim_win_set_cursor(0, { 2, 0 })
  wait_for_message('TaskLensAdvice')
  expect_equal(vim.api.nvim_win_get_cursor(0)[1], 2, 'the line of a user who has moved')
end)

case('a crash is told with its signal', function()
  vim.cmd('TaskLensRun ' .. script('crash', { 'kill -SEGV $$' }))
  wait_for_message('crash was ended by SIGSEGV (Segmentation fault); the program left no trace')
end)

case('stop ends a run', function()
  vim.cmd('TaskLensRun ' .. script('endless', { 'echo begun', 'exec sleep 1000' }))
  local output = vim.fn.bufnr('tasklens://output')
  wait('output', function()
    return vim.tbl_contains(vim.api.nvim_buf_get_lines(output, 0, -1, false), 'begun')
  end)
  vim.cmd('TaskLensStop')
  wait_for_message('endless was ended by SIGTERM')
end)

case('kept runs are chosen from a list, and two are compared', function()
  vim.cmd('edit hello.c')
  vim.cmd('TaskLensRun ./record')
  wait_for_run('its trace has 3 tasks')
  will_choose(1)
  vim.cmd('TaskLensRuns')
  wait_for_message('record: 3 tasks on 2 workers')
  -- The first of the list is the newer one; of the others, the first.
  will_choose(1)
  will_choose(1)
  vim.cmd('TaskLensCompare')
  local lines = wait_for_text('tasklens://compare', 'before: record')
  assert(lines[2]:find('after:  record', 1, true), lines[2])
  assert(lines[3]:find('span: .* %(%+0%.0 %%%)'), lines[3])
  line_of(lines, 'by site')
  line_of(lines, 'hello.c:' .. submitting_lines()[1])
  assert(lines[line_of(lines, 'by codelet') + 1]:find('  %+0 ns  '))
end)

case('a choice that is given up does nothing', function()
  vim.api.nvim_input('<Esc>')
  vim.cmd('TaskLensRuns')
  vim.cmd('TaskLensStop')
  wait_for_message('no program is running')
  expect_equal(messages, {})
end)

case('launch configurations are chosen from a list', function()
  vim.fn.writefile({
    '{"version": 1, "configurations": [',
    '  {"name": "short", "program": "./record", "arguments": ["s"]},',
    '  {"name": "long", "program": "./record", "arguments": ["l"]}]}',
  }, WORK .. '/.tasklens/launch.json')
  local function output()
    local buffer = vim.fn.bufnr('tasklens://output')
    return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
  end
  will_choose(2)
  vim.cmd('TaskLensLaunch')
  wait_for_run('record exited with status 0')
  assert(output():find('two l', 1, true), output())
  vim.cmd('TaskLensLaunch short')
  wait_for_run('record exited with status 0')
  assert(output():find('two s', 1, true), output())
  vim.cmd('TaskLensLaunch nonsense')
  wait_for_message('nonsense')
end)

case('the output of a run that fails stays', function()
  vim.cmd('TaskLensRun ' .. script('failing', { 'cp "' .. hello .. '" "$STARPU_FXT_PREFIX/trace_0"', 'echo oh', 'exit 3' }))
  wait_for_message('finding')
  expect_equal(vim.fn.bufwinid('^tasklens://graph$'), -1, 'the graph')
end)

case('at `main` the lenses run the program', function()
  vim.cmd('edit hello.c')
  vim.fn.rename(WORK .. '/record', WORK .. '/hello')
  vim.fn.delete(WORK .. '/.tasklens/launch.json')
  vim.cmd('TaskLensRun ./hello m')
  wait_for_run('hello exited with status 0')
  local at_main = line_of(read(WORK .. '/hello.c'), 'int main')
  vim.api.nvim_win_set_cursor(0, { at_main, 0 })
  wait('the lens', function()
    local command = client.commands_at_cursor()[1]
    return command and command.title:find('run traced: hello m', 1, true)
  end)
  vim.cmd('TaskLensSite')
  wait_for_run('hello exited with status 0')
end)

case('advice is among the diagnostics, also after the file is read again, and in the quickfix list', function()
  vim.fn.writefile(read(TEST .. '/tests/data/starpu/src/cholesky.c'), WORK .. '/cholesky.c')
  vim.loop.fs_utime(WORK .. '/cholesky.c', 0, 0) -- older than the run
  vim.cmd('edit cholesky.c')
  vim.bo.filetype = 'c'
  vim.cmd('TaskLensOpen ' .. TEST .. '/tests/data/starpu/cholesky_lws/prof_file_0')
  wait('diagnostics', function()
    return #vim.diagnostic.get(0) > 0
  end)
  local lines = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(0)) do
    expect_equal(diagnostic.source, 'tasklens')
    lines[diagnostic.lnum + 1] = true
  end
  vim.cmd('edit')
  vim.bo.filetype = 'c'
  wait('diagnostics again', function()
    return #vim.diagnostic.get(0) > 0
  end)
  vim.cmd('TaskLensAdvice')
  wait('the list', function()
    return vim.fn.getqflist({ title = 1 }).title:find('advice', 1, true)
  end)
  local valid = 0
  for _, item in ipairs(vim.fn.getqflist()) do
    assert(item.type:find('^[EWI]$'), vim.inspect(item))
    if item.valid == 1 then
      expect_equal(vim.fn.bufname(item.bufnr), 'cholesky.c')
      assert(lines[item.lnum], 'line ' .. item.lnum .. ' has a diagnostic')
      valid = valid + 1
    end
  end
  assert(valid > 0)
end)

case('checkhealth says what there is', function()
  local function report()
    vim.cmd('checkhealth tasklens')
    local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
    vim.cmd('bwipeout!')
    return text
  end
  local text = report()
  assert(text:find('OK:? server: ' .. vim.pesc(SERVER .. ', tasklens ')), text) -- newer ones write no colon
  assert(text:find('it runs, for the project in ' .. WORK, 1, true), text)
  assert(not text:find('ERROR', 1, true), text)
  tasklens.setup({ server = '/nowhere/tasklens' })
  text = report()
  assert(text:find('ERROR:? the server /nowhere/tasklens is not a program'), text)
  tasklens.setup({ server = SERVER })
end)

case('forty codelets have their colours, and a task the one that the program gave it', function()
  vim.o.termguicolors = true
  vim.cmd('TaskLensRun ' .. TEST .. '/tests/ide-plugin/webview/codelets')
  wait_for_run('codelets exited with status 0')
  wait_for_text('tasklens://graph', '126 of 126 tasks')
  vim.cmd('TaskLensTimeline!')
  wait_for_text('tasklens://timeline', ' a column')
  local function colours(name)
    local found = {}
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(vim.fn.bufnr('^' .. name .. '$'), vim.api.nvim_create_namespace((name:gsub('://', '.'))), 0, -1, { details = true })) do
      found[mark[4].hl_group] = true
    end
    return found
  end
  for _, name in ipairs({ 'tasklens://graph', 'tasklens://timeline' }) do
    local seen = colours(name)
    assert(not seen.TaskLens6f7987, name .. ' has no grey task')
    if name == 'tasklens://graph' then
      assert(seen.TaskLens00aa55 and seen.TaskLens112200 and seen.TaskLens336600, vim.inspect(seen))
      assert(vim.tbl_count(seen) > 12, vim.inspect(seen))
      local in_a_terminal = vim.api.nvim_get_hl_by_name('TaskLens00aa55', false).foreground
      expect_equal(in_a_terminal, 35, 'the nearest of 256 colours')
    end
    assert(next(seen), name .. ' has colours')
  end
end)

case('the help file is found, and has every command and option', function()
  vim.cmd('helptags ALL')
  for name in pairs(vim.api.nvim_get_commands({})) do
    if name:match('^TaskLens') then
      vim.cmd('help :' .. name)
      expect_equal(vim.fn.expand('%:t'), 'tasklens.txt')
      assert(vim.api.nvim_get_current_line():find('*:' .. name .. '*', 1, true), name)
    end
  end
  local help = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  for _, options in ipairs({ client.defaults, client.optional }) do
    for name in pairs(options) do
      assert(help:find('\n *' .. name .. ' = '), name)
    end
  end
end)
