-- SPDX-License-Identifier: Apache-2.0
-- Each command of the plugin, on the trace of a real run.
local tasklens = require('tasklens')
local client = require('tasklens.client')
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

case('a server that is not there is one clear line', function()
  require('tasklens').setup({ server = '/nowhere/tasklens' })
  vim.cmd('TaskLensTasks')
  expect_equal(messages[1].level, vim.log.levels.ERROR)
  assert(messages[1].text:find('no server: run ./tasklens build', 1, true))
  require('tasklens').setup({ server = TEST .. '/server/tools/tasklens' })
end)

case('a wrong option is one clear line', function()
  tasklens.setup({ nonsense = 1 })
  wait_for_message('no option is called nonsense')
end)

case('requests without a trace are one clear line', function()
  for _, command in ipairs({ 'TaskLensTasks', 'TaskLensGraph', 'TaskLensStop', 'TaskLensSite' }) do
    vim.cmd(command)
  end
  wait_for_message('no trace is open; run a program or open a trace first')
  wait_for_message('nothing runs')
  wait_for_message('no task of an open trace was submitted on this line')
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
  wait('outline', function()
    return vim.api.nvim_buf_get_name(0) == 'tasklens://graph'
  end)
  local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  expect_equal(#lines, 4)
  assert(lines[4]:find('print') and lines[4]:find('<- task_2'), lines[4])
  vim.api.nvim_win_set_cursor(0, { 4, 0 })
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes('<CR>', true, true, true), 'x', false)
  wait('source', function()
    return vim.api.nvim_buf_get_name(0) == WORK .. '/hello.c'
  end)
  expect_equal(vim.api.nvim_win_get_cursor(0)[1], submitting_lines()[3])
  vim.cmd('TaskLensGraph!')
  wait('outline again', function()
    return vim.api.nvim_buf_get_name(0) == 'tasklens://graph'
  end)
  vim.cmd('normal q')
  assert(vim.api.nvim_buf_get_name(0) ~= 'tasklens://graph')
end)

case('a run shows its output and its end', function()
  vim.cmd('TaskLensRun ' .. script('record', {
    'cp "' .. hello .. '" "$STARPU_FXT_PREFIX/trace_0"',
    'printf "one\\ntw"; printf "o %s\\n" "$1"; echo three >&2',
  }) .. ' a\\ b')
  wait_for_message('record exited with status 0; its trace has 3 tasks')
  local output = vim.fn.bufnr('tasklens://output')
  local text = table.concat(vim.api.nvim_buf_get_lines(output, 0, -1, false), '\n')
  assert(text:find('one\ntwo a b\n', 1, true), text)
  assert(text:find('three', 1, true), text)
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

case('the help file has every command', function()
  vim.cmd('helptags ' .. vim.fn.fnameescape(vim.fn.tempname():match('.*/')))
  local help = table.concat(read(TEST .. '/ide-plugin/neovim/doc/tasklens.txt'), '\n')
  for name in pairs(vim.api.nvim_get_commands({})) do
    if name:match('^TaskLens') then
      assert(help:find('*:' .. name .. '*', 1, true), name)
    end
  end
end)
