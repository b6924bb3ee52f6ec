-- SPDX-License-Identifier: Apache-2.0
-- Large traces: shows the beginning while the rest is read, and then refreshes what is shown.
local client = require('tasklens.client')
local M = {}

local parts = {} -- by id of a partly read trace: the part that was read, in words
local texts = {} -- by buffer: { trace, again }
local grown = 0 -- number of times that a trace has grown

-- The parameters of tasklens/openTrace for opening a trace to look at.
function M.to_look(uris)
  return { uris = uris, firstBytes = math.max(math.floor(client.config.first_mib * 1024 * 1024), 0) }
end

local function learn(trace)
  parts[trace.trace] = trace.read < 1 and string.format(' of the first %.2g %%', trace.read * 100) or nil
end

-- Called when the server has ended: a new server uses the same ids again.
function M.forget()
  parts, texts = {}, {}
end

-- The part of trace `id` that numbers cover, ' of the first 3.1 %'; '' for the whole.
function M.part(id)
  return parts[id] or ''
end

-- Reports the opened trace and its problems.
function M.tell(trace)
  learn(trace)
  client.notify(string.format('%s: %d tasks%s on %d workers, %d submission sites%s', trace.title, trace.tasks,
    M.part(trace.trace), trace.workers, trace.sites, trace.read < 1 and '; the rest is being read' or ''))
  for _, diagnostic in ipairs(trace.diagnostics) do
    client.notify(string.format('%d x %s: %s', diagnostic.count, diagnostic.kind, diagnostic.text), vim.log.levels.WARN)
  end
end

-- The time of a request, to be passed to register().
function M.now()
  return grown
end

-- Registers the text in `buffer` about `trace`, requested at `asked`: again() refreshes it without
-- moving the cursor.
function M.register(buffer, trace, asked, again)
  texts[buffer] = { trace = trace, again = again }
  if asked ~= grown then
    again() -- the trace grew before the answer arrived
  end
end

-- A trace has grown or is complete. If its rest cannot be read, the server reports the reason.
function M.on_more(_, trace)
  if not parts[trace.trace] or client.is_some(trace.notRead) then
    return
  end
  if trace.read == 1 then
    M.tell(trace)
  else
    learn(trace)
  end
  grown = grown + 1
  for buffer, text in pairs(texts) do
    if text.trace == trace.trace and vim.fn.bufwinid(buffer) ~= -1 then
      text.again()
    end
  end
end

return M
