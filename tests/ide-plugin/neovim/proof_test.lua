-- SPDX-License-Identifier: Apache-2.0
-- The main job: a real program runs traced under the real server, its graph is asked for, one task
-- of each codelet is revealed, and the cursor stands on the line that submitted it. What the right
-- line is, the source says.
local tasklens = require('tasklens')
local client = require('tasklens.client')

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

-- Reveals one task of each name in the newest trace, and checks where the cursor comes to stand.
local function check_cursor(source)
  local expected, variables = submissions(source), codelet_of(source)
  local graph
  client.request('tasklens/graph', { svg = true }, function(reply)
    graph = reply
  end)
  wait('the graph', function()
    return graph
  end)
  assert(graph.svg:find('<svg', 1, true))
  local seen, count = {}, 0
  for i, task in ipairs(graph.nodes.task) do
    local name = graph.texts.labels[graph.nodes.label[i] + 1]
    if task >= 0 and not seen[name] then
      seen[name] = true
      local variable = variables[name]
      assert(variable and expected[variable], 'no submission of ' .. name .. ' in ' .. source)
      vim.cmd('enew')
      tasklens.reveal(graph.trace, task)
      wait('the cursor on ' .. name, function()
        return vim.fn.resolve(vim.api.nvim_buf_get_name(0)) == source
      end)
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

case('examples/cholesky, run traced', function()
  local source = vim.fn.resolve(TEST .. '/examples/cholesky.c')
  tasklens.setup({ root = vim.fn.fnamemodify(source, ':h:h') })
  vim.env.XDG_CACHE_HOME = WORK
  vim.cmd('edit ' .. vim.fn.fnameescape(source))
  vim.bo.filetype = 'c'
  local buffer = vim.api.nvim_get_current_buf()
  vim.cmd('TaskLensRun ' .. TEST .. '/examples/cholesky')
  wait_for_message('cholesky exited with status 0; its trace has')
  wait('lenses', function()
    return client.lens_count(buffer) > 0
  end)
  vim.cmd('TaskLensGraph')
  wait('the outline', function()
    return vim.api.nvim_buf_get_name(0) == 'tasklens://graph'
  end)
  assert(vim.api.nvim_buf_line_count(0) > 4)
  vim.cmd('close')
  assert(check_cursor(source) >= 3)
end)

case('the trace of a real StarPU, its source beside it', function()
  local source = WORK .. '/hello.c'
  vim.fn.writefile(read(TEST .. '/tests/data/starpu/src/hello.c'), source)
  tasklens.setup({ root = WORK })
  client.close()
  vim.cmd('TaskLensOpen ' .. TEST .. '/tests/data/starpu/hello/prof_file_0')
  wait_for_message('3 tasks on 2 workers')
  expect_equal(check_cursor(source), 3)
end)
