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
  vim.cmd('TaskLensTimeline!')
  local all = string.format('%d tasks on 2 workers', TIMES * TASKS)
  wait_for_message(all)
  wait_for_text('tasklens://graph', ' of 88,080 tasks')
  local whole = wait_for_text('tasklens://timeline', ' to 3.')[1] -- seconds
  assert(not whole:find('of the first', 1, true), whole)
  -- Tasks of microseconds in columns of many milliseconds, with states within them.
  local rows = wait_for_text('tasklens://timeline', ' a column')
  local row = rows[line_of(rows, 'CPU0')]
  local cells = row:match('|(.*)|')
  assert(select(2, cells:gsub('%a', '')) > #cells / 2, 'tasks are hidden: ' .. row)
  expect_equal(vim.fn.bufwinid('^tasklens://graph$') ~= -1, true, 'whether the graph is still shown')
  vim.cmd('TaskLensTasks')
  wait('the costs of all', function()
    return vim.fn.getqflist({ title = 1 }).title:find(string.format(', %d tasks$', TIMES * TASKS))
  end)
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
