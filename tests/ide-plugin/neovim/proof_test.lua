-- SPDX-License-Identifier: Apache-2.0
-- The main job: a real program runs traced under the real server, its graph is shown, one task of each codelet is
-- selected, and the cursor stands on the line that submitted it. What the right line is, the source says.
local tasklens = require('tasklens')
local client = require('tasklens.client')
local light = require('tasklens.light')

-- By codelet variable: the lines of `path` that submit its tasks.
local function submissions(path)
  local found = {}
  for number, line in ipairs(read(path)) do
    local codelet = line:match('starpu_task_insert%(%s*&([%w_]+)')
    if codelet then
      found[codelet] = found[codelet] or {}
      table.insert(found[codelet], number)
    end
  end
  assert(next(found), path .. ' submits nothing')
  return found
end

-- By the name of tasks: the codelet variable. `struct starpu_codelet x = { ..., .name = "y" }`.
local function codelet_of(path)
  local text = table.concat(read(path), '\n')
  local variables = {}
  for variable, body in text:gmatch('starpu_codelet%s+([%w_]+)%s*=%s*(%b{})') do
    variables[body:match('%.name%s*=%s*"([^"]+)"') or variable] = variable
  end
  return variables
end

-- Presses <CR> on one task of each name in the graph that is shown, and checks where the cursor comes to stand.
local function check_cursor(source)
  local expected, variables = submissions(source), codelet_of(source)
  local lines = wait_for_text('tasklens://graph', ' tasks')
  local seen, count = {}, 0
  for number = 2, #lines do
    local name = lines[number]:match('^%S+%s+(%S+)')
    if not seen[name] then
      seen[name] = true
      local variable = variables[name]
      assert(variable and expected[variable], 'no submission of ' .. name .. ' in ' .. source)
      vim.api.nvim_set_current_win(vim.fn.bufwinid(source))
      vim.api.nvim_win_set_cursor(0, { 1, 0 })
      go_to('tasklens://graph')
      vim.api.nvim_win_set_cursor(0, { number, 0 })
      local begun = vim.loop.hrtime()
      press('<CR>')
      wait('the cursor on ' .. name, function()
        return vim.fn.resolve(vim.api.nvim_buf_get_name(0)) == source and vim.api.nvim_win_get_cursor(0)[1] > 1
      end)
      measured('from <CR> on a task of ' .. name .. ' to the moved cursor', begun)
      local line = vim.api.nvim_win_get_cursor(0)[1]
      assert(vim.tbl_contains(expected[variable], line),
        string.format('%s: the cursor is on line %d, not on one of %s', name, line,
          vim.inspect(expected[variable])))
      io.stdout:write(string.format('  %s: %s\n', name, vim.trim(vim.api.nvim_get_current_line())))
      count = count + 1
    end
  end
  -- Every codelet that the source submits was run.
  for variable in pairs(expected) do
    local ran = false
    for name in pairs(seen) do
      ran = ran or variables[name] == variable
    end
    assert(ran, variable .. ' was submitted in ' .. source .. ' and not in the graph')
  end
  return count
end

local source = WORK .. '/examples/cholesky.c'

case('examples/cholesky, run traced by a command', function()
  vim.fn.mkdir(WORK .. '/examples', 'p')
  vim.fn.writefile(read(TEST .. '/examples/cholesky.c'), source)
  vim.fn.mkdir(WORK .. '/.git')
  vim.cmd('edit ' .. vim.fn.fnameescape(source))
  vim.bo.filetype = 'c'
  local buffer, begun = vim.api.nvim_get_current_buf(), vim.loop.hrtime()
  vim.cmd('TaskLensRun ' .. TEST .. '/examples/cholesky')
  wait_for_text('tasklens://graph', '56 of 56 tasks')
  measured('from the run command to the first picture', begun)
  wait_for_run('cholesky exited with status 0; its trace has 56 tasks')
  expect_equal(vim.api.nvim_get_current_buf(), buffer, 'where the cursor is')
  wait('lenses', function()
    return client.lens_count(buffer) == 8 -- to run it, of four lines that submit, of three that wait
  end)
end)

case('a task of each kind leads to its line', function()
  vim.cmd('edit ' .. vim.fn.fnameescape(source))
  tasklens.graph(true)
  wait_for_text('tasklens://graph', '56 of 56 tasks')
  expect_equal(check_cursor(source), 4)
end)

case('the caret on a line lights up its tasks', function()
  vim.cmd('edit ' .. vim.fn.fnameescape(source))
  tasklens.graph(true)
  local lines = wait_for_text('tasklens://graph', '56 of 56 tasks')
  vim.cmd('wincmd p')
  for name, count in pairs({ potrf = 6, trsm = 15, syrk = 15, gemm = 20 }) do
    vim.api.nvim_win_set_cursor(0, { line_of(read(source), 'starpu_task_insert(&' .. name), 0 })
    vim.cmd('doautocmd CursorMoved')
    wait('the tasks of ' .. name, function()
      local lit = light.lit_lines(vim.fn.bufnr('tasklens://graph'))
      return #lit == count and lines[lit[1]]:find(' ' .. name .. ' ', 1, true)
    end)
  end
end)

case('an edit before the answer keeps its place', function()
  vim.cmd('edit ' .. vim.fn.fnameescape(source))
  vim.cmd('TaskLensRun')
  vim.cmd('new ' .. WORK .. '/notes.txt')
  local window = vim.api.nvim_get_current_win()
  wait_for_run('cholesky exited with status 0')
  wait_for_text('tasklens://graph', '56 of 56 tasks')
  expect_equal(vim.api.nvim_get_current_win(), window)
  expect_equal(vim.api.nvim_buf_get_name(0), WORK .. '/notes.txt')
end)

case('two runs are chosen and compared', function()
  vim.cmd('edit ' .. vim.fn.fnameescape(source))
  will_choose(1)
  will_choose(1)
  vim.cmd('TaskLensCompare')
  local lines = wait_for_text('tasklens://compare', 'before: cholesky')
  for _, name in ipairs({ 'potrf', 'trsm', 'syrk', 'gemm' }) do
    line_of(lines, '  ' .. name)
  end
end)

case('the trace of a real StarPU, its source beside it', function()
  local hello = WORK .. '/hello.c'
  vim.fn.writefile(read(TEST .. '/tests/data/starpu/src/hello.c'), hello)
  client.close()
  vim.cmd('edit ' .. vim.fn.fnameescape(hello))
  vim.cmd('TaskLensOpen ' .. TEST .. '/tests/data/starpu/hello/prof_file_0')
  wait_for_message('3 tasks on 2 workers')
  wait_for_text('tasklens://graph', '3 of 3 tasks')
  expect_equal(check_cursor(hello), 3)
end)
