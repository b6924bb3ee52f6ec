-- SPDX-License-Identifier: Apache-2.0
-- Commands of the TaskLens plugin. Nothing is started before the first command.
if vim.g.loaded_tasklens then
  return
end
vim.g.loaded_tasklens = true

local function command(name, fn, options)
  vim.api.nvim_create_user_command(name, fn, options)
end

-- A command without arguments: a function of a module, which the first use loads.
local function plain(name, module, fn, desc)
  command(name, function()
    require(module)[fn]()
  end, { nargs = 0, desc = desc })
end

command('TaskLensRun', function(args)
  require('tasklens').run(args.fargs)
end, { nargs = '*', complete = 'file', desc = 'Run a program traced; without arguments, again' })

command('TaskLensLaunch', function(args)
  require('tasklens').launch(args.args ~= '' and args.args or nil)
end, { nargs = '?', desc = 'Run a launch configuration of the project traced' })

plain('TaskLensStop', 'tasklens', 'stop', 'Stop the running program; its trace is kept')

command('TaskLensOpen', function(args)
  require('tasklens').open(args.fargs)
end, { nargs = '+', complete = 'file', desc = 'Open the trace files of a run, or their folder' })

plain('TaskLensCancel', 'tasklens', 'cancel', 'Cancel the opening of a trace')
plain('TaskLensRuns', 'tasklens.pick', 'run', 'Choose a kept run, and open it')
plain('TaskLensCompare', 'tasklens.pick', 'compare', 'Choose two runs, and show what became slower')

command('TaskLensGraph', function(args)
  require('tasklens').graph(args.bang)
end, { nargs = 0, bang = true, desc = 'The task graph in the browser; with !, as text' })

command('TaskLensTimeline', function(args)
  require('tasklens').timeline(args.bang)
end, { nargs = 0, bang = true, desc = 'The timeline in the browser; with !, as text' })

plain('TaskLensTasks', 'tasklens.lists', 'tasks', 'Submission sites with their costs, in the quickfix list')
plain('TaskLensAdvice', 'tasklens.lists', 'advice', 'Findings of the run, in the quickfix list')
plain('TaskLensSite', 'tasklens', 'site', 'Cost of the tasks that this line submits; at main, run the program')
