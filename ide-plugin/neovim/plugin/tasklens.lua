-- SPDX-License-Identifier: Apache-2.0
-- Commands of the TaskLens plugin. Nothing is started before the first one is used.
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

command('TaskLensStop', function()
  require('tasklens').stop()
end, { nargs = 0, desc = 'End what runs; its trace is kept' })

command('TaskLensOpen', function(args)
  require('tasklens').open(args.fargs)
end, { nargs = '+', complete = 'file', desc = 'Open the trace files of a run, or their folder' })

command('TaskLensGraph', function(args)
  require('tasklens').graph(args.bang)
end, { nargs = 0, bang = true, desc = 'The task graph in the browser; with !, as text' })

command('TaskLensTasks', function()
  require('tasklens').tasks()
end, { nargs = 0, desc = 'Submission sites with their costs, in the quickfix list' })

command('TaskLensSite', function()
  require('tasklens').site()
end, { nargs = 0, desc = 'What the tasks cost that this line submits' })
