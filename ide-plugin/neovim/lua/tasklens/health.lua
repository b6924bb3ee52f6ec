-- SPDX-License-Identifier: Apache-2.0
-- :checkhealth tasklens
local client = require('tasklens.client')
local M = {}

-- Neovim 0.7 to 0.9 have other names for these functions.
local health = vim.health or require('health')
local say = {}
for _, name in ipairs({ 'start', 'ok', 'info', 'warn', 'error' }) do
  say[name] = health[name] or health['report_' .. name]
end

-- The version that a program prints; nil if it fails.
local function version_of(program)
  local said = vim.fn.system({ program, '--version' })
  return vim.v.shell_error == 0 and vim.trim(said) or nil
end

function M.check()
  say.start('TaskLens')
  if vim.fn.has('nvim-0.7.2') == 1 then
    say.ok('Neovim 0.7.2 or newer')
  else
    say.error('Neovim is older than 0.7.2', { 'update Neovim' })
  end
  say.ok('plugin: ' .. client.version)
  local command, problem = client.server_command()
  if not command then
    say.error(problem)
  else
    local version = version_of(command[1])
    if version then
      say.ok('server: ' .. vim.fn.exepath(command[1]) .. ', ' .. version)
    else
      say.error('the server ' .. command[1] .. ' does not tell its version', { 'build it again: ./tasklens build' })
    end
  end
  local folder = client.running_in()
  say.info(folder and 'it runs, for the project in ' .. folder
    or 'it does not run; the first command starts it, for the project in ' .. client.root())
  if client.misfit() then
    say.warn(client.misfit())
  end
  if require('tasklens.browser').is_there() then
    say.ok('graph and timeline open in the browser; :TaskLensGraph! and :TaskLensTimeline! show text')
  else
    say.info('no browser: graph and timeline are text (option `browser`)')
  end
  if vim.o.termguicolors or vim.fn.has('gui_running') == 1 then
    say.ok("'termguicolors' is set: tasks have the colours of their codelets")
  else
    say.info("'termguicolors' is not set: tasks have the nearest of the terminal's 256 colours")
  end
end

return M
