-- SPDX-License-Identifier: Apache-2.0
-- TaskLens in Neovim, 0.7.2 and newer: what the commands do. All knowledge is the server's
-- (see ide-plugin/protocol.md); this asks, and shows the answers.
local client = require('tasklens.client')
local M = {}

local config = client.config
local last_run = nil -- parameters of the last tasklens/run

-- setup{ server = 'path' or { 'path', 'serve' }, root = 'folder', source_roots = { 'folder' },
--        lenses = true, show_output = true }
function M.setup(options)
  for name, value in pairs(options or {}) do
    if client.defaults[name] == nil and name ~= 'server' and name ~= 'root' then
      return client.error('setup: no option is called ' .. name)
    end
    config[name] = value
  end
end

-- A summary of one line, as an error when something was wrong.
local function say_end(reply)
  local good = reply.exitStatus == 0 and reply.trace ~= vim.NIL
  client.notify(reply.message, good and vim.log.levels.INFO or vim.log.levels.WARN)
end

-- Runs `arguments` (the program first), or what was run last. `done(reply)` is called at the end.
function M.run(arguments, done)
  if #arguments > 0 then
    last_run = {
      program = arguments[1],
      arguments = vim.list_slice(arguments, 2),
      workingDirectory = vim.fn.getcwd(),
    }
    -- An empty table would become an object.
    if #last_run.arguments == 0 then
      last_run.arguments = nil
    end
  elseif not last_run then
    return client.error('which program? :TaskLensRun PROGRAM ARGUMENTS...')
  end
  client.clear_output(last_run.program)
  client.request('tasklens/run', last_run, function(reply)
    say_end(reply)
    if done then
      done(reply)
    end
  end)
end

function M.stop()
  client.request('tasklens/stop', vim.empty_dict(), function(reply)
    if #reply.stopped == 0 then
      client.notify('nothing runs')
    end
  end)
end

function M.open(files, done)
  local uris = {}
  for _, file in ipairs(files) do
    table.insert(uris, vim.uri_from_fname(vim.fn.fnamemodify(vim.fn.expand(file), ':p')))
  end
  client.request('tasklens/openTrace', { uris = uris }, function(reply)
    client.notify(string.format('%s: %d tasks on %d workers, %d submission sites', reply.title,
      reply.tasks, reply.workers, reply.sites))
    for _, diagnostic in ipairs(reply.diagnostics) do
      client.notify(string.format('%d x %s: %s', diagnostic.count, diagnostic.kind, diagnostic.text),
        vim.log.levels.WARN)
    end
    if done then
      done(reply)
    end
  end)
end

function M.graph(as_text)
  require('tasklens.graph').show(as_text)
end

-- From a task to its line; `task` is a number of the trace.
function M.reveal(trace, task)
  client.request('tasklens/reveal', { trace = trace, task = task }, function() end)
end

function M.tasks()
  client.request('tasklens/stats', vim.empty_dict(), function(reply)
    local items = {}
    for _, cost in ipairs(reply.costs) do
      local item = { text = cost.title .. '  ' .. table.concat(cost.names, ', ') }
      if cost.location then
        item.filename = vim.uri_to_fname(cost.location.uri)
        item.lnum = cost.location.range.start.line + 1
        item.col = cost.location.range.start.character + 1
      else
        item.text = item.text .. '  (' .. (cost.problem or 'no submission site') .. ')'
        item.valid = 0
      end
      table.insert(items, item)
    end
    local title = string.format('TaskLens: %s, %d tasks', reply.title, reply.tasks)
    vim.fn.setqflist({}, ' ', { title = title, items = items })
    vim.cmd('copen')
  end)
end

function M.site()
  local lens = client.lens_at_cursor()
  if not lens then
    return client.error('no task of an open trace was submitted on this line')
  end
  client.show_site(lens.command)
end

return M
