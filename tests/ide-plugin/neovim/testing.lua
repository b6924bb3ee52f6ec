-- SPDX-License-Identifier: Apache-2.0
-- What the tests in Neovim share. A failed check ends its case and says where; the others run all the same.
local cases = {}
messages = {} -- of the plugin: { text, level }

vim.notify = function(text, level)
  table.insert(messages, { text = text, level = level })
end

-- Waits for something to become true, as long as the test may take. An error that the plugin tells meanwhile,
-- and that nobody waits for, ends the test.
function wait(what, condition)
  local value, failure
  run_until(what, function()
    value = condition()
    for _, message in ipairs(value and {} or messages) do
      failure = message.level == vim.log.levels.ERROR and message.text or failure
    end
    return value or failure
  end)
  assert(value, string.format('waiting for %s: %s', what, failure))
  return value
end

function expect_equal(actual, expected, what)
  if not vim.deep_equal(actual, expected) then
    error(string.format('%s: expected %s, got %s', what or 'value', vim.inspect(expected),
      vim.inspect(actual)), 2)
  end
end

-- Waits for a message that contains `part`, and takes it away.
function wait_for_message(part)
  return wait('the message "' .. part .. '"', function()
    for at, message in ipairs(messages) do
      if message.text:find(part, 1, true) then
        return table.remove(messages, at)
      end
    end
  end)
end

-- The same of the end of a run, and for what comes by itself after it: its findings, the line to look at first.
function wait_for_run(part)
  wait_for_message(part)
  wait('the findings', function()
    for at, message in ipairs(messages) do
      if message.text:find(':TaskLensAdvice', 1, true) or message.text:find('no findings', 1, true) then
        return table.remove(messages, at)
      end
    end
  end)
end

-- The lines of a buffer of ours, once it is shown and the first of them contains `part`.
function wait_for_text(name, part)
  return wait(name .. ' with ' .. part, function()
    local buffer = vim.fn.bufnr('^' .. name .. '$')
    if buffer == -1 or vim.fn.bufwinid(buffer) == -1 then
      return nil
    end
    local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
    return lines[1]:find(part, 1, true) and lines
  end)
end

-- Goes to the window of a buffer of ours.
function go_to(name)
  vim.api.nvim_set_current_win(vim.fn.bufwinid('^' .. name .. '$'))
end

-- The user's keys.
function press(keys)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, true, true), 'x', false)
end

-- Chooses the n-th of what will be asked: the keys lie ready when the question comes.
function will_choose(n)
  vim.api.nvim_input(n .. '<CR>')
end

function read(path)
  local lines = vim.fn.readfile(path)
  assert(#lines > 0, path .. ' is empty')
  return lines
end

-- The number of the first line that contains `part`.
function line_of(lines, part)
  for number, line in ipairs(lines) do
    if line:find(part, 1, true) then
      return number
    end
  end
  error('no line contains ' .. part)
end

function measured(what, begun)
  io.stdout:write(string.format('MEASURED %s: %.1f ms\n', what, (vim.loop.hrtime() - begun) / 1e6))
end

function case(name, fn)
  table.insert(cases, { name = name, fn = fn })
end

-- Whatever the user may have open goes away before each case.
local function clean()
  messages = {}
  vim.cmd('enew!')
  vim.cmd('cclose')
  vim.cmd('silent only!')
end

-- Where tools/summarize_tests.py looks for the cases that have ended.
local function write_cases(ended)
  if not vim.env.XML_OUTPUT_FILE then
    return
  end
  local function escaped(text)
    return (text:gsub('[&<"]', { ['&'] = '&amp;', ['<'] = '&lt;', ['"'] = '&quot;' }):gsub('%c', ' '))
  end
  local lines = { '<testsuite>' }
  for _, one in ipairs(ended) do
    local failure = one.err and '<failure message="' .. escaped(one.err) .. '"/>' or ''
    table.insert(lines, '<testcase name="' .. escaped(one.name) .. '">' .. failure .. '</testcase>')
  end
  table.insert(lines, '</testsuite>')
  vim.fn.writefile(lines, vim.env.XML_OUTPUT_FILE)
end

function Finish()
  local ended, failed = {}, 0
  for _, test in ipairs(cases) do
    clean()
    local ok, err = xpcall(test.fn, debug.traceback)
    io.stdout:write((ok and 'ok   ' or 'FAIL ') .. test.name .. '\n')
    if not ok then
      failed = failed + 1
      io.stdout:write(tostring(err) .. '\n' .. vim.inspect(messages) .. '\n')
    end
    table.insert(ended, { name = test.name, err = not ok and tostring(err) or nil })
    write_cases(ended) -- what is known, should the next one not end
  end
  assert(#cases > 0)
  vim.cmd(failed == 0 and 'qall!' or 'cquit 1')
end

TEST, WORK, SERVER = vim.env.TEST, vim.env.WORK, vim.env.SERVER
require('tasklens').setup({ server = SERVER })
