-- SPDX-License-Identifier: Apache-2.0
-- What the tests in Neovim share. A failed check ends Neovim with status 1 and says where.
local cases = {}
messages = {} -- of the plugin: { text, level }

vim.notify = function(text, level)
  table.insert(messages, { text = text, level = level })
end

-- Waits for something to become true, as long as the test may take.
function wait(what, condition)
  local value
  local ok = vim.wait(1000000, function()
    value = condition()
    return value
  end, 10)
  assert(ok, 'interrupted while waiting for ' .. what)
  return value
end

function expect_equal(actual, expected, what)
  if not vim.deep_equal(actual, expected) then
    error(string.format('%s: expected %s, got %s', what or 'value', vim.inspect(expected),
      vim.inspect(actual)), 2)
  end
end

-- Waits for a message that contains `part`.
function wait_for_message(part)
  return wait('the message "' .. part .. '"', function()
    for _, message in ipairs(messages) do
      if message.text:find(part, 1, true) then
        return message
      end
    end
  end)
end

function read(path)
  local lines = vim.fn.readfile(path)
  assert(#lines > 0, path .. ' is empty')
  return lines
end

function case(name, fn)
  table.insert(cases, { name = name, fn = fn })
end

function Finish()
  for _, test in ipairs(cases) do
    messages = {}
    local ok, err = xpcall(test.fn, debug.traceback)
    io.stdout:write((ok and 'ok   ' or 'FAIL ') .. test.name .. '\n')
    if not ok then
      io.stdout:write(tostring(err) .. '\n' .. vim.inspect(messages) .. '\n')
      vim.cmd('cquit 1')
    end
  end
  assert(#cases > 0)
  vim.cmd('qall!')
end

TEST, WORK = vim.env.TEST, vim.env.WORK
require('tasklens').setup({ server = TEST .. '/server/tools/tasklens' })
