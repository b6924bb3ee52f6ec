-- SPDX-License-Identifier: Apache-2.0
-- The connection to `tasklens serve`: finds and starts it, sends requests, handles what it sends.
local M = {}

M.defaults = { source_roots = {}, lenses = true, show_output = true }
M.config = vim.deepcopy(M.defaults)

local id = nil -- of the language client, nil when none runs
local waiting = {} -- functions to call when it is ready
local ready = false
local lenses = {} -- by buffer: what the server answered
local namespace = vim.api.nvim_create_namespace('tasklens')
local file_types = { c = true, cpp = true, cuda = true }

function M.notify(text, level)
  vim.notify('TaskLens: ' .. text:gsub('\n', ' '), level or vim.log.levels.INFO)
end

function M.error(text)
  M.notify(text, vim.log.levels.ERROR)
end

-- The command line of the server, or nil.
local function server_command()
  local server = M.config.server
  if type(server) == 'table' then
    return server
  end
  local beside = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h:h:h:h')
  local places = { beside .. '/bazel-bin/server/tools/tasklens', beside .. '/bin/tasklens' }
  if server then
    places = { vim.fn.expand(server) }
  elseif vim.fn.executable('tasklens') == 1 then
    places = { 'tasklens' }
  end
  for _, place in ipairs(places) do
    if vim.fn.executable(place) == 1 then
      return { place, 'serve' }
    end
  end
end

-- The folder of the project that the current file (or directory) belongs to.
local function root()
  if M.config.root then
    return vim.fn.fnamemodify(vim.fn.expand(M.config.root), ':p')
  end
  local file = vim.api.nvim_buf_get_name(0)
  local folder = file ~= '' and vim.fn.fnamemodify(file, ':p:h') or vim.fn.getcwd()
  if vim.fn.isdirectory(folder) == 0 then
    folder = vim.fn.getcwd()
  end
  local up = folder:gsub('[,; ]', '\\%0') .. ';'
  for _, marker in ipairs({ '.tasklens', '.git' }) do
    local found = vim.fn.finddir(marker, up)
    if found ~= '' then
      return vim.fn.fnamemodify(found, ':p:h:h')
    end
  end
  for _, marker in ipairs({ 'WORKSPACE', 'compile_commands.json', 'CMakeLists.txt', 'Makefile' }) do
    local found = vim.fn.findfile(marker, up)
    if found ~= '' then
      return vim.fn.fnamemodify(found, ':p:h')
    end
  end
  return folder
end

local function is_ours(buffer)
  return vim.api.nvim_buf_get_name(buffer):match('^tasklens://') ~= nil
end

-- Goes to a window that shows a file of the user's, not one of ours.
local function enter_source_window()
  if not is_ours(0) and vim.bo.buftype == '' then
    return
  end
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local buffer = vim.api.nvim_win_get_buf(window)
    if not is_ours(buffer) and vim.bo[buffer].buftype == '' then
      return vim.api.nvim_set_current_win(window)
    end
  end
  vim.cmd('aboveleft new')
end

-- window/showDocument, which Neovim 0.7 does not have.
local function show_document(_, params)
  if params.external or not params.uri:match('^file:') then
    return { success = false }
  end
  local window = vim.api.nvim_get_current_win()
  enter_source_window()
  local ok = pcall(function()
    vim.cmd("normal! m'") -- so that CTRL-O goes back
    local buffer = vim.uri_to_bufnr(params.uri)
    vim.bo[buffer].buflisted = true
    vim.api.nvim_win_set_buf(0, buffer)
    if params.selection then
      local start = params.selection.start
      -- The columns of our server's ranges begin behind blanks: bytes and units are the same.
      vim.api.nvim_win_set_cursor(0, { start.line + 1, start.character })
      vim.cmd('normal! zvzz')
    end
  end)
  if params.takeFocus == false then
    vim.api.nvim_set_current_win(window)
  end
  return { success = ok }
end

-- The buffer that collects what programs write.
local function output_buffer()
  local buffer = vim.fn.bufadd('tasklens://output')
  if not vim.api.nvim_buf_is_loaded(buffer) then
    vim.fn.bufload(buffer)
    vim.bo[buffer].buftype = 'nofile'
    vim.bo[buffer].swapfile = false
    vim.bo[buffer].buflisted = false
  end
  return buffer
end

-- Empties the output and shows it, for a new run.
function M.clear_output(program)
  local buffer = output_buffer()
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, { '$ ' .. program, '' })
  if M.config.show_output and vim.fn.bufwinid(buffer) == -1 and #vim.api.nvim_list_uis() > 0 then
    local window = vim.api.nvim_get_current_win()
    vim.cmd('botright 8split')
    vim.api.nvim_win_set_buf(0, buffer)
    vim.wo.winfixheight = true
    vim.api.nvim_set_current_win(window)
  end
end

local function on_output(_, params)
  local buffer = output_buffer()
  local lines = vim.split(params.text:gsub('\r\n', '\n'), '\n', { plain = true })
  local last = vim.api.nvim_buf_line_count(buffer)
  lines[1] = vim.api.nvim_buf_get_lines(buffer, last - 1, last, false)[1] .. lines[1]
  vim.api.nvim_buf_set_lines(buffer, last - 1, last, false, lines)
  local window = vim.fn.bufwinid(buffer)
  if window ~= -1 then
    vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(buffer), 0 })
  end
end

local function draw_lenses(buffer)
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  local count = vim.api.nvim_buf_line_count(buffer)
  for _, lens in ipairs(lenses[buffer] or {}) do
    if lens.range.start.line < count then
      vim.api.nvim_buf_set_extmark(buffer, namespace, lens.range.start.line, 0, {
        virt_text = { { lens.command.title, 'LspCodeLens' } },
        hl_mode = 'combine',
      })
    end
  end
end

local function refresh_lenses(buffer)
  if not M.config.lenses or not ready then
    return
  end
  local params = { textDocument = { uri = vim.uri_from_bufnr(buffer) } }
  M.request('textDocument/codeLens', params, function(reply)
    if vim.api.nvim_buf_is_valid(buffer) then
      lenses[buffer] = reply
      draw_lenses(buffer)
    end
  end, function() end) -- a text that changed meanwhile is asked about again
end

local function refresh_all_lenses()
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and file_types[vim.bo[buffer].filetype] then
      refresh_lenses(buffer)
    end
  end
  return vim.NIL
end

-- The lens of the cursor's line, or nil.
function M.lens_at_cursor()
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  for _, lens in ipairs(lenses[vim.api.nvim_get_current_buf()] or {}) do
    if lens.range.start.line == line then
      return lens
    end
  end
end

-- The command behind a lens.
function M.show_site(command)
  M.request('tasklens/showSite', command.arguments[1], function(reply)
    M.notify(reply.text)
  end)
end

local function attach(buffer)
  if id and file_types[vim.bo[buffer].filetype] and vim.api.nvim_buf_get_name(buffer) ~= '' then
    if not vim.lsp.buf_is_attached(buffer, id) then
      vim.lsp.buf_attach_client(buffer, id)
    end
    refresh_lenses(buffer)
  end
end

local function attach_all()
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) then
      attach(buffer)
    end
  end
  local group = vim.api.nvim_create_augroup('tasklens', { clear = true })
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    callback = function(event)
      attach(event.buf)
    end,
  })
  vim.api.nvim_create_autocmd({ 'BufWritePost', 'InsertLeave', 'TextChanged' }, {
    group = group,
    callback = function(event)
      if lenses[event.buf] then
        refresh_lenses(event.buf)
      end
    end,
  })
end

local function on_exit(code)
  local was_ready = ready
  id, ready, waiting, lenses = nil, false, {}, {}
  if code ~= 0 and not vim.v.dying then
    M.error(was_ready and 'the server has ended' or 'the server cannot be started')
  end
end

local function capabilities()
  local all = vim.lsp.protocol.make_client_capabilities()
  all.window.showDocument = { support = true }
  all.textDocument.codeLens = { dynamicRegistration = false }
  all.workspace.codeLens = { refreshSupport = true }
  all.experimental = { tasklens = { version = 1 } }
  return all
end

-- Starts the server unless it runs; false when it is not found.
local function start()
  if id then
    return true
  end
  local command = server_command()
  if not command then
    M.error('no server: run ./tasklens build in its clone, put tasklens into PATH, '
      .. 'or set it (:help tasklens-setup)')
    return false
  end
  local folder = root()
  id = vim.lsp.start_client({
    name = 'tasklens',
    cmd = command,
    root_dir = folder,
    workspace_folders = { { uri = vim.uri_from_fname(folder), name = folder } },
    capabilities = capabilities(),
    init_options = { sourceRoots = M.config.source_roots },
    handlers = {
      ['window/showDocument'] = show_document,
      ['workspace/codeLens/refresh'] = refresh_all_lenses,
      ['tasklens/runOutput'] = on_output,
      ['tasklens/traceUpdated'] = function() end,
    },
    commands = { ['tasklens.showSite'] = M.show_site },
    on_init = function()
      ready = true
      vim.schedule(function()
        attach_all()
        local calls = waiting
        waiting = {}
        for _, call in ipairs(calls) do
          call()
        end
      end)
    end,
    on_exit = vim.schedule_wrap(on_exit),
  })
  return id ~= nil
end

-- Sends a request, starting the server when it does not run. `done(result)` is called with the
-- answer; an error is shown in one line, or given to `failed` where there is one.
function M.request(method, params, done, failed)
  if not start() then
    return
  end
  if not ready then
    table.insert(waiting, function()
      M.request(method, params, done, failed)
    end)
    return
  end
  local client = vim.lsp.get_client_by_id(id)
  local function on_reply(err, result)
    if err then
      return (failed or M.error)(err.message)
    end
    done(result)
  end
  local buffer = vim.api.nvim_get_current_buf()
  local ok
  if vim.fn.has('nvim-0.11') == 1 then
    ok = client:request(method, params, on_reply, buffer)
  else
    ok = client.request(method, params, on_reply, buffer)
  end
  if not ok then
    M.error('the server has ended')
  end
end

-- Ends the server; the next command starts it again, in the folder that is then the right one.
function M.close()
  if id then
    vim.lsp.stop_client(id)
    vim.wait(5000, function()
      return id == nil
    end, 10)
  end
end

-- For tests: how many lenses a buffer shows.
function M.lens_count(buffer)
  return #vim.api.nvim_buf_get_extmarks(buffer, namespace, 0, -1, {})
end

return M
