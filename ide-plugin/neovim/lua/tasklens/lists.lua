-- SPDX-License-Identifier: Apache-2.0
-- Quickfix lists: the costs of lines, and advice.
local beginning = require('tasklens.beginning')
local client = require('tasklens.client')
local windows = require('tasklens.windows')
local M = {}

-- An entry of the list: at `location` of the protocol, or without a place but with the reason.
local function item(text, location, problem)
  if client.is_some(location) then
    return {
      text = windows.one_line(text),
      filename = vim.uri_to_fname(location.uri),
      lnum = location.range.start.line + 1,
      col = location.range.start.character + 1,
    }
  end
  return { text = windows.one_line(text .. '  (' .. problem .. ')'), valid = 0 }
end

local function show(title, items)
  vim.fn.setqflist({}, ' ', { title = 'TaskLens: ' .. windows.one_line(title), items = items })
  windows.close_drawer()
  vim.cmd('botright copen')
end

function M.tasks()
  client.request('tasklens/stats', vim.empty_dict(), function(reply)
    local items = {}
    for _, cost in ipairs(reply.costs) do
      table.insert(items, item(cost.title .. '  ' .. table.concat(cost.names, ', '), cost.location,
        client.is_some(cost.problem) and cost.problem or 'no submission site'))
    end
    show(string.format('%s, %d tasks%s', reply.title, reply.tasks, beginning.part(reply.trace)), items)
  end)
end

local TYPES = { error = 'E', warning = 'W', information = 'I' }

function M.advice()
  client.request('tasklens/advice', vim.empty_dict(), function(advice)
    if #advice.findings == 0 then
      return client.notify('no findings in this run')
    end
    -- The costs of lines contain the present file of each line of the trace.
    client.request('tasklens/stats', { trace = advice.trace }, function(stats)
      local cost_of = {}
      for _, cost in ipairs(stats.costs) do
        cost_of[cost.site] = cost
      end
      local items = {}
      for _, finding in ipairs(advice.findings) do
        local cost = client.is_some(finding.site) and cost_of[finding.site] or {}
        local problem = client.is_some(finding.site) and (client.is_some(cost.problem) and cost.problem
          or finding.file .. ':' .. finding.line) or 'the whole run'
        local one = item(finding.message, cost.location, problem)
        one.type = TYPES[finding.severity]
        table.insert(items, one)
      end
      show(string.format('%s, advice', stats.title), items)
    end)
  end)
end

return M
