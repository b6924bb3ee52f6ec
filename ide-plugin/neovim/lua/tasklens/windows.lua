-- SPDX-License-Identifier: Apache-2.0
-- Windows: goes to lines of the user's sources, and shows our texts, one at a time, in a window
-- below. A text from an answer never takes a window or the cursor from a user who has moved
-- meanwhile.
local M = {}

-- Makes text from a trace a single line of plain text.
function M.one_line(text)
  return (text:gsub('%c+', ' '))
end

-- The unit for `ns`: its length in ns, and its name.
local function unit_of(ns)
  for _, unit in ipairs({ { 1e9, 's' }, { 1e6, 'ms' }, { 1e3, 'µs' } }) do
    if math.abs(ns) >= unit[1] then
      return unpack(unit)
    end
  end
  return 1, 'ns'
end

-- 1234567 -> '1.23 ms'
function M.duration(ns)
  local size, unit = unit_of(ns)
  local value = ns / size
  local digits = (size == 1 or math.abs(value) >= 100) and 0 or math.abs(value) >= 10 and 1 or 2
  return string.format('%.' .. digits .. 'f %s', value, unit)
end

-- A time since the start, with the precision of `step`: 157083456 -> '157.08 ms' for steps of 0.02
-- ms.
function M.time(ns, step)
  local size, unit = unit_of(ns)
  local digits = math.max(0, math.ceil(math.log10(size / math.max(step, 1))))
  return string.format(string.format('%%.%df %%s', digits), ns / size, unit)
end

-- Fits `text` into `width` columns of the screen; a cut text ends with a dot.
function M.fit(text, width)
  text = M.one_line(text)
  if vim.fn.strdisplaywidth(text) > width then
    text = vim.fn.strcharpart(text, 0, width - 1)
    while vim.fn.strdisplaywidth(text) > width - 1 do
      text = vim.fn.strcharpart(text, 0, vim.fn.strchars(text) - 1)
    end
    text = text .. '…'
  end
  return text .. string.rep(' ', width - vim.fn.strdisplaywidth(text))
end

local function is_ours(buffer)
  return vim.api.nvim_buf_get_name(buffer):match('^tasklens://') ~= nil
end

local function is_source(buffer)
  return not is_ours(buffer) and vim.bo[buffer].buftype == ''
end

-- Enters the window that shows `buffer`, else one with a file of the user.
local function enter_source_window(buffer)
  local windows = vim.api.nvim_tabpage_list_wins(0)
  for _, window in ipairs(windows) do
    if vim.api.nvim_win_get_buf(window) == buffer then
      return vim.api.nvim_set_current_win(window)
    end
  end
  if is_source(vim.api.nvim_get_current_buf()) then
    return
  end
  for _, window in ipairs(windows) do
    if is_source(vim.api.nvim_win_get_buf(window)) then
      return vim.api.nvim_set_current_win(window)
    end
  end
  vim.cmd('aboveleft new')
end

-- Implements window/showDocument, which Neovim 0.7 does not have.
function M.show_document(_, params)
  if params.external or not params.uri:match('^file:') then
    return { success = false }
  end
  local window = vim.api.nvim_get_current_win()
  local ok = pcall(function()
    local buffer = vim.uri_to_bufnr(params.uri)
    enter_source_window(buffer)
    vim.cmd("normal! m'") -- so that CTRL-O goes back
    vim.bo[buffer].buflisted = true
    vim.api.nvim_win_set_buf(0, buffer)
    if params.selection then
      local start = params.selection.start
      -- The ranges of our server begin after blanks only, so bytes and UTF-16 units are equal.
      vim.api.nvim_win_set_cursor(0, { start.line + 1, start.character })
      vim.cmd('normal! zvzz')
      require('tasklens.light').follow()
    end
  end)
  if params.takeFocus == false then
    vim.api.nvim_set_current_win(window)
  end
  return { success = ok }
end

-- The user's place, to be checked when an answer has arrived.
function M.place()
  return {
    window = vim.api.nvim_get_current_win(),
    buffer = vim.api.nvim_get_current_buf(),
    cursor = vim.api.nvim_win_get_cursor(0),
    tick = vim.b.changedtick,
  }
end

-- True if the user is still in the same place and not typing.
function M.is_at(place)
  return vim.api.nvim_get_current_win() == place.window
    and vim.api.nvim_get_current_buf() == place.buffer
    and vim.api.nvim_get_mode().mode == 'n'
end

-- True if the user has also neither moved the cursor nor changed the text.
function M.has_stayed_at(place)
  return M.is_at(place) and (not is_source(place.buffer)
    or vim.deep_equal(vim.api.nvim_win_get_cursor(0), place.cursor) and vim.b.changedtick == place.tick)
end

-- A buffer without a file.
function M.scratch(name)
  local buffer = vim.fn.bufadd(name)
  if not vim.api.nvim_buf_is_loaded(buffer) then
    vim.fn.bufload(buffer)
    vim.bo[buffer].buftype = 'nofile'
    vim.bo[buffer].swapfile = false
    vim.bo[buffer].buflisted = false
    vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buffer, nowait = true, silent = true })
  end
  return buffer
end

-- The window of this tab with our texts, or nil: the next text replaces the one in it.
local function drawer()
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if is_ours(vim.api.nvim_win_get_buf(window)) then
      return window
    end
  end
end

-- Closes our window to make room for a list, unless it is the last one.
function M.close_drawer()
  local window = drawer()
  if window then
    pcall(vim.api.nvim_win_close, window, false)
  end
end

-- Closes the window of `buffer`, unless it is the last one.
function M.close(buffer)
  local window = vim.fn.bufwinid(buffer)
  if window ~= -1 then
    pcall(vim.api.nvim_win_close, window, false)
  end
end

-- Shows a buffer in our window below all others, with at most `height` lines; returns false if
-- there is no room.
function M.open_below(buffer, height, focus)
  local before = vim.api.nvim_get_current_win()
  local rows = math.min(height, math.max(4, math.floor(vim.o.lines * 0.4)))
  local window = vim.fn.bufwinid(buffer)
  if window == -1 then
    window = drawer()
    if window then
      vim.api.nvim_win_set_buf(window, buffer)
      vim.api.nvim_win_set_height(window, math.max(rows, vim.api.nvim_win_get_height(window)))
    end
  end
  if not window then
    if vim.startswith(vim.fn.getqflist({ title = 0 }).title, 'TaskLens: ') then
      vim.cmd('cclose') -- a list of ours had its place
      before = vim.api.nvim_get_current_win()
    end
    if not pcall(vim.cmd, string.format('keepalt botright %dsplit', rows)) then
      return false
    end
    window = vim.api.nvim_get_current_win()
    vim.api.nvim_win_set_buf(window, buffer)
    for name, value in pairs({ wrap = false, number = false, cursorline = true, winfixheight = true, spell = false }) do
      vim.wo[name] = value
    end
  end
  vim.api.nvim_set_current_win(focus and window or before)
  return true
end

local turns, shown = 0, 0 -- requests for texts: how many, and the newest shown

-- Call this when requesting a text for show_text().
function M.turn()
  turns = turns + 1
  return turns
end

-- Puts `lines` into the buffer `name` and shows it, unless a text of a later `turn` is already
-- shown. The cursor moves there with `focus` only.
function M.show_text(name, lines, focus, turn)
  local buffer = M.scratch(name)
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
  if turn < shown then
    return buffer
  end
  shown = turn
  if not M.open_below(buffer, #lines, focus) then
    require('tasklens.client').notify('no room for a window; the answer is in the buffer ' .. name)
  end
  return buffer
end

-- The nearest of a terminal's 256 colours: of the colour cube, 16 to 231, or of the greys after it.
local function of_256(rgb)
  local best, least = 16, math.huge
  local function try(number, r, g, b)
    local far = ((rgb / 65536 - rgb / 65536 % 1) - r) ^ 2 + ((rgb / 256 - rgb / 256 % 1) % 256 - g) ^ 2 + (rgb % 256 - b) ^ 2
    if far < least then
      best, least = number, far
    end
  end
  local function level(part)
    return part == 0 and 0 or part * 40 + 55
  end
  for number = 0, 215 do
    try(16 + number, level(math.floor(number / 36)), level(math.floor(number / 6) % 6), level(number % 6))
  end
  for number = 0, 23 do
    try(232 + number, number * 10 + 8, number * 10 + 8, number * 10 + 8)
  end
  return best
end

local coloured = {} -- by name of a highlight: true if it is defined

-- The name of a highlight of this colour (0xRRGGBB); without 'termguicolors' the nearest colour of
-- the terminal.
function M.colour(rgb)
  local name = string.format('TaskLens%06x', rgb)
  if not coloured[name] then
    vim.cmd(string.format('highlight default %s guifg=#%06x ctermfg=%d', name, rgb, of_256(rgb)))
    coloured[name] = true
  end
  return name
end

function M.map(buffer, key, fn)
  vim.keymap.set('n', key, fn, { buffer = buffer, nowait = true, silent = true })
end

return M
