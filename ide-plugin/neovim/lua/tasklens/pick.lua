-- SPDX-License-Identifier: Apache-2.0
-- Menus with `vim.ui.select`, which other plugins may replace: launch configurations, kept runs,
-- and two runs to compare.
local client = require('tasklens.client')
local windows = require('tasklens.windows')
local M = {}

local function select(items, prompt, text_of, done)
  vim.ui.select(items, {
    prompt = prompt,
    format_item = function(item)
      return windows.one_line(text_of(item))
    end,
  }, function(item)
    if item then
      done(item)
    end
  end)
end

function M.configuration(configurations, done)
  select(configurations, 'Run traced:', function(one)
    return one.name .. (client.is_some(one.problem) and '  (' .. one.problem .. ')' or '')
  end, done)
end

function M.command(commands, done)
  select(commands, 'TaskLens:', function(command)
    return command.title
  end, done)
end

-- Describes a run: the user's name or the program with its arguments, its time, and how it ended.
local function text_of_run(run)
  local words = vim.list_extend({ run.title }, client.is_some(run.configuration.arguments) and run.configuration.arguments or {})
  local when = client.is_some(run.startedNs) and os.date('%Y-%m-%d %H:%M:%S', math.floor(run.startedNs / 1e9)) or ''
  local end_ = run.running and 'runs' or run.message
  return table.concat({ run.name ~= '' and run.name or table.concat(words, ' '), when, end_ }, '  ')
end

-- Lists the kept runs that have ended, and opens the chosen one.
function M.run()
  client.request('tasklens/runs', vim.empty_dict(), function(reply)
    local runs = vim.tbl_filter(function(run)
      return not run.running
    end, reply.runs)
    if #runs == 0 then
      return client.error('no run is kept yet in ' .. reply.directory .. '; run a program first')
    end
    select(runs, 'Open the run:', text_of_run, function(run)
      require('tasklens').open_paths({ run.directory })
    end)
  end)
end

-- The runs that can be compared: { text, read(done) } for open traces and kept runs; calls done(id,
-- title).
local function sides(done)
  client.request('tasklens/runs', vim.empty_dict(), function(kept)
    client.request('tasklens/traces', vim.empty_dict(), function(open)
      local found = {}
      for _, run in ipairs(kept.runs) do
        if not run.running then
          table.insert(found, { text = text_of_run(run), read = function(with)
            if client.is_some(run.trace) then
              return with(run.trace)
            end
            require('tasklens').open_paths({ run.directory }, function(trace)
              with(trace.trace)
            end)
          end })
        end
      end
      for _, trace in ipairs(open.traces) do
        -- A trace in the folder of a kept run is listed as that run.
        if not vim.startswith(trace.paths[1], kept.directory .. '/') then
          table.insert(found, { text = trace.title .. '  ' .. trace.paths[1], read = function(with)
            with(trace.trace)
          end })
        end
      end
      done(found)
    end)
  end)
end

local function signed(ns)
  return (ns < 0 and '-' or '+') .. windows.duration(math.abs(ns))
end

-- Describes the changes; `replies` of tasklens/compare, by site and by codelet.
local function text_of_comparison(before, after, replies)
  local first = replies[1].comparisons[1]
  local change = (first.spanAfterNs - first.spanBeforeNs) / math.max(first.spanBeforeNs, 1) * 100
  local lines = {
    'before: ' .. windows.one_line(before),
    'after:  ' .. windows.one_line(after),
    string.format('span:   %s to %s (%+.1f %%)   q: close', windows.duration(first.spanBeforeNs),
      windows.duration(first.spanAfterNs), change),
  }
  for _, reply in ipairs(replies) do
    local comparison = reply.comparisons[1]
    table.insert(lines, '')
    table.insert(lines, 'by ' .. comparison.by)
    for _, row in ipairs(comparison.changes) do
      table.insert(lines, string.format('  %-13s %12s  %s', row.verdict, signed(row.changeNs), windows.one_line(row.label)))
    end
    if comparison.count > #comparison.changes then
      table.insert(lines, string.format('  ... and %d more', comparison.count - #comparison.changes))
    end
  end
  return lines
end

-- Asks for two runs, and shows what became slower from the first to the second.
function M.compare()
  sides(function(found)
    if #found < 2 then
      return client.error('there is nothing to compare with: run the program again, or open another trace')
    end
    local function text(side)
      return side.text
    end
    select(found, 'Compare the run:', text, function(after)
      local others = vim.tbl_filter(function(side)
        return side ~= after
      end, found)
      select(others, 'with the earlier run:', text, function(before)
        local from, turn = windows.place(), windows.turn()
        before.read(function(trace_before)
          after.read(function(trace_after)
            local traces = { trace_before, trace_after }
            client.request('tasklens/compare', { traces = traces, by = 'site' }, function(by_site)
              client.request('tasklens/compare', { traces = traces, by = 'codelet' }, function(by_codelet)
                local lines = text_of_comparison(before.text, after.text, { by_site, by_codelet })
                windows.show_text('tasklens://compare', lines, windows.is_at(from), turn)
              end, nil, 'comparing by codelet')
            end, nil, 'comparing by site')
          end)
        end)
      end)
    end)
  end)
end

return M
