-- SPDX-License-Identifier: Apache-2.0
-- Whatever breaks: one clear line, and an editor that works on.
local tasklens = require('tasklens')
local client = require('tasklens.client')
local server = WORK .. '/bin/tasklens'

local function living_editor()
  vim.cmd('enew!')
  press('ialive<Esc>')
  expect_equal(vim.api.nvim_get_current_line(), 'alive')
  vim.cmd('bwipeout!')
end

local function run_again()
  messages = {}
  vim.cmd('TaskLensRun ' .. TEST .. '/examples/cholesky')
  wait_for_run('cholesky exited with status 0; its trace has 56 tasks')
  wait_for_text('tasklens://graph', '56 of 56 tasks')
end

-- Ends the server from outside, and waits until the editor has noticed.
local function kill()
  vim.loop.kill(client.pid(), 'sigkill')
  wait_for_message('the server has ended by signal 9; run again')
end

case('a killed server is told, and the next command starts it again', function()
  vim.fn.mkdir(WORK .. '/bin')
  vim.loop.fs_symlink(SERVER, server)
  tasklens.setup({ server = server })
  run_again()
  kill()
  living_editor()
  run_again()
end)

case('a removed server is told, and the editor lives on', function()
  vim.fn.delete(server)
  kill()
  messages = {}
  vim.cmd('TaskLensRun')
  wait_for_message('the server ' .. server .. ' is not a program; correct the option server')
  living_editor()
end)

case('a server that is none is told', function()
  vim.fn.writefile({ '#!/bin/sh', 'exit 3' }, server)
  vim.fn.setfperm(server, 'rwxr-xr-x')
  vim.cmd('TaskLensRun')
  wait_for_message('the server cannot be started: it ended with status 3; see :checkhealth tasklens')
  vim.fn.writefile({ 'this is no program' }, server)
  vim.cmd('TaskLensRun')
  wait_for_message('the server')
  living_editor()
  vim.fn.delete(server)
  vim.loop.fs_symlink(SERVER, server)
  run_again()
end)

case('a server of another protocol is told, with what to update, and works', function()
  for number, part in pairs({
    ['2'] = 'this plugin is older than the server, update it; until then some commands may fail (plugin ',
    ['0'] = 'the server is older than this plugin, install TaskLens ' .. client.version .. '; until then',
    none = 'the server may not fit, install TaskLens ' .. client.version .. ' or correct the option server; until then',
  }) do
    client.close()
    vim.env.PROTOCOL = number
    run_again()
    local message = wait_for_message(part)
    expect_equal(message.level, vim.log.levels.WARN)
    local versions = string.format('(plugin %s: protocol 1; %s, tasklens %s: %s)', client.version, server, client.version,
      number == 'none' and 'no protocol version' or 'protocol ' .. number)
    assert(message.text:find(versions, 1, true), message.text)
    vim.cmd('checkhealth tasklens')
    line_of(vim.api.nvim_buf_get_lines(0, 0, -1, false), 'WARNING')
    vim.cmd('bwipeout!')
  end
  client.close()
  vim.env.PROTOCOL = nil
  run_again()
  for _, message in ipairs(messages) do
    assert(not message.text:find('protocol', 1, true), message.text)
  end
end)

case('a bad trace is told in one line', function()
  vim.fn.writefile({ 'this is no trace' }, WORK .. '/bad.tlt')
  vim.cmd('TaskLensOpen bad.tlt')
  local message = wait_for_message(WORK .. '/bad.tlt')
  assert(#message.text < 300 and not message.text:find('\n', 1, true), message.text)
  living_editor()
  vim.cmd('TaskLensTasks')
  wait('the costs of the trace before', function()
    return #vim.fn.getqflist() == 4
  end)
end)

case('a long load is cancelled', function()
  local folder = WORK .. '/large'
  vim.fn.system({ SERVER, 'run', '-o', folder, '--', TEST .. '/examples/cholesky', '100', '1' })
  expect_equal(vim.v.shell_error, 0)
  -- So that it is not over before it is given up.
  vim.loop.kill(client.pid(), 'sigstop')
  vim.cmd('TaskLensOpen ' .. folder)
  vim.cmd('TaskLensCancel')
  wait_for_message('cancelled: opening ' .. folder)
  local begun = vim.loop.hrtime()
  vim.loop.kill(client.pid(), 'sigcont')
  local traces
  client.request('tasklens/traces', vim.empty_dict(), function(reply)
    traces = reply.traces
  end)
  wait('the open traces', function()
    return traces
  end)
  measured('from the cancel to the next answer', begun)
  expect_equal(traces[1].tasks, 56)
  living_editor()
end)

case('markup in the names of tasks stays text', function()
  vim.cmd('TaskLensRun ' .. TEST .. '/tests/ide-plugin/webview/hostile')
  wait_for_run('hostile exited with status 0')
  local lines = wait_for_text('tasklens://graph', '38 of 38 tasks')
  line_of(lines, '<img src=x onerror=')
  line_of(lines, '"><script>hacked()')
  vim.cmd('TaskLensTasks')
  wait('the list', function()
    return vim.fn.getqflist({ title = 1 }).title:find('hostile', 1, true)
  end)
  line_of(vim.tbl_map(function(item)
    return item.text
  end, vim.fn.getqflist()), '<img src=x onerror=hacked()>')
  living_editor()
end)
