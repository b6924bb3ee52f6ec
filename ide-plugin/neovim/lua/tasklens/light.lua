-- SPDX-License-Identifier: Apache-2.0
-- From the caret to its tasks: what the line under the cursor submitted lights up in the texts that are shown.
local client = require('tasklens.client')
local M = {}

local namespace = vim.api.nvim_create_namespace('tasklens.light')
local texts = {} -- by buffer: { trace, find }
local asked = 0 -- the number of the last question
local source, line = nil, nil -- the buffer and the line, from 1, of a source where the cursor was last
local is_followed = false -- whether all texts that are shown are where it leads
local MOST_TASKS = 10000

vim.cmd('highlight default link TaskLensLit Visual')

local function mark(buffer, places)
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  for _, place in ipairs(places) do
    vim.api.nvim_buf_set_extmark(buffer, namespace, place[1], place[2] or 0, {
      end_row = place[2] and place[1] or place[1] + 1,
      end_col = place[3] or 0,
      hl_group = 'TaskLensLit',
      hl_eol = not place[2],
      priority = 200,
    })
  end
  local window = vim.fn.bufwinid(buffer)
  if #places > 0 and window ~= -1 and window ~= vim.api.nvim_get_current_win() then
    vim.api.nvim_win_set_cursor(window, { places[1][1] + 1, places[1][2] or 0 })
  end
end

-- Lights up what the line submitted where the cursor was last.
local function light()
  asked = asked + 1
  local question = asked
  for buffer, text in pairs(texts) do
    if vim.fn.bufwinid(buffer) ~= -1 then
      client.request('tasklens/tasksAt', {
        trace = text.trace,
        uri = vim.uri_from_bufnr(source),
        line = line - 1,
        limit = MOST_TASKS,
      }, function(reply)
        if question == asked and texts[buffer] == text and vim.api.nvim_buf_is_valid(buffer) then
          local is_lit = {}
          for _, task in ipairs(reply.tasks) do
            is_lit[task.task] = true
          end
          mark(buffer, text.find(is_lit, reply.tasks[1] and reply.tasks[1].site))
        end
      end, function() end) -- a trace that was closed, a text that changes: the next move asks again
    end
  end
end

-- Called whenever the cursor is in a source, or has moved there.
function M.follow()
  local here, number = vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)[1]
  if not is_followed or here ~= source or number ~= line then
    source, line, is_followed = here, number, true
    light()
  end
end

-- `find(is_lit, site)` gives the places of the text that belong to tasks for which is_lit[task], or to `site`:
-- { line, from, to } in bytes from 0, or { line } for all of it.
function M.register(buffer, trace, find)
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  texts[buffer] = { trace = trace, find = find }
  is_followed = false
  -- The cursor may rest on a line already, or have come here from one.
  vim.schedule(function()
    if client.is_source(vim.api.nvim_get_current_buf()) then
      M.follow()
    elseif source and client.is_source(source) and vim.api.nvim_buf_is_loaded(source) then
      light()
    end
  end)
end

-- For tests: the lines of a text that are lit, from 1.
function M.lit_lines(buffer)
  local lines = {}
  for _, place in ipairs(vim.api.nvim_buf_get_extmarks(buffer, namespace, 0, -1, {})) do
    if lines[#lines] ~= place[2] + 1 then
      table.insert(lines, place[2] + 1)
    end
  end
  return lines
end

return M
