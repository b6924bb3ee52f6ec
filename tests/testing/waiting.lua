-- SPDX-License-Identifier: Apache-2.0
-- What tests in Neovim wait with. Nothing has a limit of its own, but what waits in vain leaves half of the time that
-- Bazel gives the test to the other cases.
local begun = vim.loop.hrtime()

local function patience_ms()
  local limit = tonumber(vim.env.TEST_TIMEOUT)
  return limit and math.max(1, math.floor((limit * 1000 - (vim.loop.hrtime() - begun) / 1e6) / 2)) or 2 ^ 31 - 1
end

-- Lets Neovim run until `condition` answers something, and returns that: it is asked between Neovim's events,
-- as nothing tells when a buffer, a window or a variable has changed.
function run_until(what, condition)
  local value
  local ok, why = vim.wait(patience_ms(), function()
    value = condition()
    return value
  end, 10)
  assert(ok, (why == -2 and 'interrupted while waiting for ' or 'waited in vain for ') .. what)
  return value
end
