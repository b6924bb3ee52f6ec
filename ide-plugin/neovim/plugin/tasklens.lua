-- SPDX-License-Identifier: Apache-2.0
-- Commands of the TaskLens plugin. Nothing is started before the first command.
if vim.g.loaded_tasklens then
  return
end
vim.g.loaded_tasklens = true

local function command(name, fn, options)
  vim.api.nvim_create_user_command(name, fn, options)
end

command('TaskLensRun', function(args)
  require('tasklens').run(args.fargs)
end, { nargs = '*', complete = 'file', desc = 'Run a program traced; without arguments, again' })

command('TaskLensLaunch', function(args)
  require('tasklens').launch(args.args ~= '' and args.args or nil)
end, { nargs = '?', desc = 'Run a launch configuration of the project traced' })

command('TaskLensStop', function()
  require('tasklens').stop()
end, { nargs = 0, desc = 'Stop the running program; its trace is kept' })

command('TaskLensOpen', function(args)
  require('tasklens').open(args.fargs)
end, { nargs = '+', complete = 'file', desc = 'Open the trace files of a run, or their folder' })

command('TaskLensCancel', function()
  require('tasklens').cancel()
end, { nargs = 0, desc = 'Cancel the opening of a trace' })

command('TaskLensRuns', function()
  require('tasklens.pick').run()
end, { nargs = 0, desc = 'Choose a kept run, and open it' })

command('TaskLensCompare', function()
  require('tasklens.pick').compare()
end, { nargs = 0, desc = 'Choose two runs, and show what became slower' })

command('TaskLensGraph', function(args)
  require('tasklens').graph(args.bang)
end, { nargs = 0, bang = true, desc = 'The task graph in the browser; with !, as text' })

command('TaskLensTimeline', function(args)
  require('tasklens').timeline(args.bang)
end, { nargs = 0, bang = true, desc = 'The timeline in the browser; with !, as text' })

command('TaskLensTasks', function()
  require('tasklens.lists').tasks()
end, { nargs = 0, desc = 'Submission sites with their costs, in the quickfix list' })

command('TaskLensAdvice', function()
  require('tasklens.lists').advice()
end, { nargs = 0, desc = 'Findings of the run, in the quickfix list' })

command('TaskLensSite', function()
  require('tasklens').site()
end, { nargs = 0, desc = 'Cost of the tasks that this line submits; at main, run the program' })
