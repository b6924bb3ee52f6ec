-- SPDX-License-Identifier: Apache-2.0
-- TaskLens for Neovim 0.7.2 and newer: the commands. The plugin sends requests to the server and
-- shows its answers, see ide-plugin/protocol.md.
local client = require('tasklens.client')
local windows = require('tasklens.windows')
local M = {}

local config = client.config
local last_run = nil -- parameters of the last tasklens/run

-- doc/tasklens.txt lists the options.
function M.setup(options)
  for name, value in pairs(options or {}) do
    if client.defaults[name] == nil and not client.optional[name] then
      return client.error('setup: no option is called ' .. name)
    end
    config[name] = value
  end
end

-- Shows a one-line summary, as a warning if something failed.
local function say_end(reply)
  local good = reply.exitStatus == 0 and client.is_some(reply.trace)
  client.notify(reply.message, good and vim.log.levels.INFO or vim.log.levels.WARN)
end

-- After a run: shows the number of findings with the command that lists them, and the line to look
-- at first, unless the user has left `from`.
local function lead_on(reply, from)
  client.request('tasklens/advice', { trace = reply.trace }, function(advice)
    local count = #advice.findings
    local found = count == 0 and 'no findings'
      or string.format('%d finding%s, :TaskLensAdvice', count, count == 1 and '' or 's')
    local function say()
      local all = reply.message .. '; ' .. found
      -- A message of two lines would wait for a key.
      client.notify(vim.fn.strdisplaywidth(all) < vim.o.columns - 25 and all or found)
    end
    if client.is_some(advice.firstSite) and windows.has_stayed_at(from) then
      client.request('tasklens/reveal', { trace = reply.trace, site = advice.firstSite, takeFocus = false }, say)
    else
      say()
    end
  end)
end

-- `params`: those of tasklens/run. Calls `done(reply)` at the end.
local function run(params, done)
  last_run = params
  client.clear_output(params.program or params.configuration)
  local from = windows.place()
  client.request('tasklens/run', params, function(reply)
    say_end(reply)
    client.close_output(reply.exitStatus == 0)
    if client.is_some(reply.trace) then
      -- The output of a failed run stays visible.
      if config.show_graph and reply.exitStatus == 0 then
        require('tasklens.graph').show(false, reply.trace, function()
          lead_on(reply, from)
        end)
      else
        lead_on(reply, from)
      end
    end
    if done then
      done(reply)
    end
  end)
end

-- Runs the project's launch configuration; asks which one if there are several.
function M.launch(name, done)
  if name then
    return run({ configuration = name }, done)
  end
  client.request('tasklens/configurations', vim.empty_dict(), function(reply)
    for _, problem in ipairs(reply.problems) do
      client.notify(problem, vim.log.levels.WARN)
    end
    if #reply.configurations == 0 then
      return client.error('which program? :TaskLensRun PROGRAM ARGUMENTS..., or write ' .. (client.is_some(reply.file)
        and reply.file or '.tasklens/launch.json'))
    end
    if #reply.configurations == 1 then
      return run({ configuration = reply.configurations[1].name }, done)
    end
    require('tasklens.pick').configuration(reply.configurations, function(configuration)
      run({ configuration = configuration.name }, done)
    end)
  end)
end

-- Runs `arguments` (the program first), or the last program again.
function M.run(arguments, done)
  if #arguments > 0 then
    return run({
      program = arguments[1],
      -- An empty table would become an object.
      arguments = #arguments > 1 and vim.list_slice(arguments, 2) or nil,
      workingDirectory = vim.fn.getcwd(),
    }, done)
  end
  if last_run then
    return run(last_run, done)
  end
  M.launch(nil, done)
end

function M.stop()
  client.request('tasklens/stop', vim.empty_dict(), function(reply)
    if #reply.stopped == 0 then
      client.notify('no program is running')
    end
  end)
end

function M.cancel()
  local cancelled = client.cancel()
  client.notify(#cancelled > 0 and 'cancelled: ' .. table.concat(cancelled, ', ') or 'nothing is being read')
end

-- Opens the trace in the files or the folder `paths`. Without `done`, shows the beginning of a
-- large trace first; else calls done(reply) when the whole is open.
function M.open_paths(paths, done)
  local beginning = require('tasklens.beginning')
  local uris = vim.tbl_map(vim.uri_from_fname, paths)
  client.request('tasklens/openTrace', done and { uris = uris } or beginning.to_look(uris), function(reply)
    beginning.tell(reply)
    if done then
      done(reply)
    elseif config.show_graph then
      require('tasklens.graph').show(false, reply.trace)
    end
  end, nil, 'opening ' .. table.concat(paths, ' '))
end

-- The same for names that the user typed.
function M.open(files)
  M.open_paths(vim.tbl_map(function(file)
    return vim.fn.fnamemodify(vim.fn.expand(file), ':p')
  end, files))
end

-- Shows the view in the browser; with `as_text`, or without a browser, in a window.
local function show(view, as_text)
  if as_text or not require('tasklens.browser').is_there() then
    return require('tasklens.' .. view).show(true)
  end
  require('tasklens.browser').show()
end

function M.graph(as_text)
  show('graph', as_text)
end

function M.timeline(as_text)
  show('timeline', as_text)
end

-- Goes from a task, a number of the trace, to its line; with `take_focus` the cursor moves there.
function M.reveal(trace, task, take_focus)
  client.request('tasklens/reveal', { trace = trace, task = task, takeFocus = take_focus }, function() end)
end

-- Executes the command of a lens.
function M.execute(command)
  if command.command == 'tasklens.run' then
    return run(command.arguments[1])
  end
  client.request('tasklens/showSite', command.arguments[1], function(reply)
    client.notify(reply.text)
  end)
end

-- Shows the cost of the tasks of the cursor's line; at `main`, runs the program.
function M.site()
  local commands = client.commands_at_cursor()
  if #commands == 0 then
    return client.error('no task of an open trace was submitted on this line')
  end
  if #commands == 1 then
    return M.execute(commands[1])
  end
  require('tasklens.pick').command(commands, M.execute)
end

return M
