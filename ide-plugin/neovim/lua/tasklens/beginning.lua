-- SPDX-License-Identifier: Apache-2.0
-- Large traces: the beginning is shown while the rest is read. Then what is shown is asked for again.
local client = require('tasklens.client')
local M = {}

local parts = {} -- by id of a trace of which only the beginning is there: how much that is, in words
local texts = {} -- by buffer: { trace, again }
local grown = 0 -- how often there was more of a trace

-- The parameters of tasklens/openTrace for who looks at what is there.
function M.to_look(uris)
  return { uris = uris, firstBytes = math.max(math.floor(client.config.first_mib * 1024 * 1024), 0) }
end

local function learn(trace)
  parts[trace.trace] = trace.read < 1 and string.format(' of the first %.2g %%', trace.read * 100) or nil
end

-- The server has ended: the next one's traces have the same ids.
function M.forget()
  parts, texts = {}, {}
end

-- How much of the trace `id` numbers are about, ' of the first 3.1 %'; '' of all of it.
function M.part(id)
  return parts[id] or ''
end

-- What was opened, and what was wrong with it.
function M.tell(trace)
  learn(trace)
  client.notify(string.format('%s: %d tasks%s on %d workers, %d submission sites%s', trace.title, trace.tasks,
    M.part(trace.trace), trace.workers, trace.sites, trace.read < 1 and '; the rest is being read' or ''))
  for _, diagnostic in ipairs(trace.diagnostics) do
    client.notify(string.format('%d x %s: %s', diagnostic.count, diagnostic.kind, diagnostic.text), vim.log.levels.WARN)
  end
end

-- To be given to register() by who asks for a text now.
function M.now()
  return grown
end

-- The text in `buffer` is about `trace`, as it was at `asked`: again() asks for it anew, without taking the cursor.
function M.register(buffer, trace, asked, again)
  texts[buffer] = { trace = trace, again = again }
  if asked ~= grown then
    again() -- there was more before the answer was there
  end
end

-- There is more of a trace, or all; why the rest did not come, the server says itself.
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
