-- SPDX-License-Identifier: Apache-2.0
-- The connection to `tasklens serve`: finds and starts it, sends requests, handles its messages.
local windows = require('tasklens.windows')
local M = {}

M.version = '0.9.0' -- written by tools/set_version.py
M.protocol = 1 -- as described in ide-plugin/protocol.md

M.defaults = { source_roots = {}, settings = {}, lenses = true, show_output = true, show_graph = true, first_mib = 64 }
-- Options that have no default.
M.optional = { server = true, root = true, browser = true }
M.config = vim.deepcopy(M.defaults)

local id = nil -- of the language client, nil when none runs
local waiting = {} -- functions to call when it is ready
local ready = false
local closing = false
local misfit = nil -- why the server's protocol version does not match, in words
local pending = {} -- by number of a long request: its description
local reading = {} -- by token of a trace whose rest is read: its description
local lenses = {} -- by buffer: the server's answer
local namespace = vim.api.nvim_create_namespace('tasklens')
local file_types = { c = true, cpp = true, cuda = true }

-- True if there is a screen and the user is not typing.
local function may_echo()
  return #vim.api.nvim_list_uis() > 0 and vim.api.nvim_get_mode().mode == 'n'
end

local said = nil -- the last message: { text, highlight }
local is_progress_shown = false -- it covers the last message

function M.notify(text, level)
  local highlights = { [vim.log.levels.ERROR] = 'ErrorMsg', [vim.log.levels.WARN] = 'WarningMsg' }
  said, is_progress_shown = { 'TaskLens: ' .. windows.one_line(text), highlights[level] }, false
  if may_echo() then
    vim.cmd('redraw') -- else a second message would wait for <Enter>
  end
  vim.notify('TaskLens: ' .. windows.one_line(text), level or vim.log.levels.INFO)
end

function M.error(text)
  M.notify(text, vim.log.levels.ERROR)
end

-- True if a member of an answer is present: depending on Neovim's version null is nil or vim.NIL.
function M.is_some(value)
  return value ~= nil and value ~= vim.NIL
end

-- The command line of the server; or nil and the reason.
function M.server_command()
  local server = M.config.server
  if type(server) == 'table' and #server > 0 then
    if vim.fn.executable(server[1]) == 1 then
      return server
    end
    return nil, 'the server ' .. server[1] .. ' is not a program; correct the option server (:help tasklens-setup)'
  end
  if server then
    local path = vim.fn.expand(server)
    if vim.fn.executable(path) == 1 then
      return { path, 'serve' }
    end
    return nil, 'the server ' .. path .. ' is not a program; correct the option server (:help tasklens-setup)'
  end
  local beside = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h:h:h:h')
  for _, place in ipairs({ 'tasklens', beside .. '/bazel-bin/server/command_line/tasklens', beside .. '/bin/tasklens' }) do
    if vim.fn.executable(place) == 1 then
      return { place, 'serve' }
    end
  end
  return nil, 'no server: run ./tasklens build in its clone, put tasklens into PATH, or set it (:help tasklens-setup)'
end

-- The folder of the project of the current file or directory.
function M.root()
  if M.config.root then
    return vim.fn.fnamemodify(vim.fn.expand(M.config.root), ':p')
  end
  local file = vim.bo.buftype == '' and vim.api.nvim_buf_get_name(0) or ''
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

-- The buffer for the output of programs.
local function output_buffer()
  return windows.scratch('tasklens://output')
end

-- Called at the end of a run: closes its output, unless something failed.
function M.close_output(good)
  if good then
    windows.close(output_buffer())
  end
end

-- Clears and shows the output, for a new run.
function M.clear_output(program)
  local buffer = output_buffer()
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, { '$ ' .. windows.one_line(program), '' })
  if M.config.show_output and #vim.api.nvim_list_uis() > 0 then
    windows.open_below(buffer, 6, false)
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

-- Shows the progress of runs and loads in the last line of the screen, and in status lines.
local function on_progress(err, params, context, options)
  vim.lsp.handlers['$/progress'](err, params, context, options)
  local value = params.value
  if value.kind == 'begin' and vim.startswith(tostring(params.token), 'rest-of/') then
    reading[params.token] = 'r' .. value.title:sub(2)
  elseif value.kind == 'end' then
    reading[params.token] = nil
  end
  if may_echo() and value.kind == 'end' and is_progress_shown then
    -- Messages that arrived meanwhile, such as an error, stay visible.
    is_progress_shown = false
    vim.cmd('redraw')
    local text = said and vim.fn.strcharpart(said[1], 0, vim.o.columns - 15) or ''
    vim.api.nvim_echo({ { text, said and said[2] } }, false, {})
  elseif may_echo() and value.kind ~= 'end' then
    is_progress_shown = true
    vim.cmd('redraw')
    local percentage = M.is_some(value.percentage) and value.percentage .. ' %' or nil
    local words = { 'TaskLens:', value.title or '', value.message or '', percentage }
    local text = vim.fn.strcharpart(windows.one_line(table.concat(words, ' ')), 0, vim.o.columns - 15)
    vim.api.nvim_echo({ { text } }, false, {})
  end
end

local function draw_lenses(buffer)
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  local count = vim.api.nvim_buf_line_count(buffer)
  for _, lens in ipairs(lenses[buffer] or {}) do
    if lens.range.start.line < count then
      -- Above the line: at its end a narrow window would cut off the share.
      local indent = vim.api.nvim_buf_call(buffer, function()
        return vim.fn.indent(lens.range.start.line + 1)
      end)
      vim.api.nvim_buf_set_extmark(buffer, namespace, lens.range.start.line, 0, {
        virt_lines = { { { string.rep(' ', indent) .. windows.one_line(lens.command.title), 'LspCodeLens' } } },
        virt_lines_above = true,
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
  end, function() end) -- a text that changed meanwhile is requested again
end

local function refresh_all_lenses()
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and file_types[vim.bo[buffer].filetype] then
      refresh_lenses(buffer)
    end
  end
  return vim.NIL
end

-- True if a server runs and has the text of the buffer.
function M.is_source(buffer)
  return ready and lenses[buffer] ~= nil
end

-- The commands of the lenses on the cursor's line, with their titles.
function M.commands_at_cursor()
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  local commands = {}
  for _, lens in ipairs(lenses[vim.api.nvim_get_current_buf()] or {}) do
    if lens.range.start.line == line then
      table.insert(commands, lens.command)
    end
  end
  return commands
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
  vim.api.nvim_create_autocmd({ 'CursorMoved', 'BufEnter' }, {
    group = group,
    callback = function(event)
      -- A server that has ended gets no requests.
      if M.is_source(event.buf) and event.buf == vim.api.nvim_get_current_buf() then
        require('tasklens.light').follow()
      end
    end,
  })
end

local function on_exit(code, signal)
  local was_ready, was_closing = ready, closing
  misfit = nil
  id, ready, closing, waiting, pending, reading = nil, false, false, {}, {}, {}
  require('tasklens.beginning').forget()
  for buffer in pairs(lenses) do
    if vim.api.nvim_buf_is_valid(buffer) then
      vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
    end
  end
  lenses = {}
  if was_closing or vim.v.exiting ~= vim.NIL then
    return
  end
  local how = signal ~= 0 and 'by signal ' .. signal or 'with status ' .. code
  if was_ready then
    M.error('the server has ended ' .. how .. '; run again, or open the trace again, and it is started anew')
  else
    M.error('the server cannot be started: it ended ' .. how .. '; see :checkhealth tasklens')
  end
end

local function capabilities()
  local all = vim.lsp.protocol.make_client_capabilities()
  all.window.showDocument = { support = true }
  all.textDocument.codeLens = { dynamicRegistration = false }
  all.workspace.codeLens = { refreshSupport = true }
  all.experimental = { tasklens = { version = M.protocol } }
  return all
end

-- A message if the server has another protocol version than this plugin, else nil. `result`: its
-- answer to initialize.
local function misfit_of(program, result)
  local function member(object, name)
    return type(object) == 'table' and M.is_some(object[name]) and object[name] or nil
  end
  local theirs = tonumber(member(member(member(result.capabilities, 'experimental'), 'tasklens'), 'version'))
  if theirs == M.protocol then
    return nil
  end
  local verdict
  if not theirs then
    verdict = 'the server may not fit, install TaskLens ' .. M.version .. ' or correct the option server'
  elseif theirs < M.protocol then
    verdict = 'the server is older than this plugin, install TaskLens ' .. M.version
  else
    verdict = 'this plugin is older than the server, update it'
  end
  return string.format('%s; until then some commands may fail (plugin %s: protocol %d; %s, %s %s: %s)', verdict,
    M.version, M.protocol, program, member(result.serverInfo, 'name') or 'without a name',
    member(result.serverInfo, 'version') or '?', theirs and 'protocol ' .. theirs or 'no protocol version')
end

local function on_more(...)
  require('tasklens.beginning').on_more(...)
end

-- Starts the server unless it runs; returns false if it is not found.
local function start()
  if id then
    return true
  end
  local command, problem = M.server_command()
  if not command then
    M.error(problem)
    return false
  end
  local folder = M.root()
  local settings = vim.tbl_extend('force', { sourceRoots = vim.tbl_map(vim.fn.expand, M.config.source_roots) },
    M.config.settings)
  local ok, started = pcall(vim.lsp.start_client, {
    name = 'tasklens',
    cmd = command,
    root_dir = folder,
    workspace_folders = { { uri = vim.uri_from_fname(folder), name = folder } },
    capabilities = capabilities(),
    init_options = settings,
    handlers = {
      ['window/showDocument'] = windows.show_document,
      ['workspace/codeLens/refresh'] = refresh_all_lenses,
      ['$/progress'] = on_progress,
      ['tasklens/runOutput'] = on_output,
      ['tasklens/runStarted'] = function() end,
      ['tasklens/traceGrew'] = on_more,
      ['tasklens/traceUpdated'] = on_more,
    },
    commands = {
      ['tasklens.showSite'] = function(lens)
        require('tasklens').execute(lens)
      end,
      ['tasklens.run'] = function(lens)
        require('tasklens').execute(lens)
      end,
    },
    on_init = function(_, result)
      ready = true
      misfit = misfit_of(command[1], result)
      vim.schedule(function()
        if misfit then
          M.notify(misfit, vim.log.levels.WARN)
        end
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
  if not ok or not started then
    M.error('the server ' .. command[1] .. ' cannot be started' .. (ok and '' or ': ' .. tostring(started)))
    return false
  end
  id = started
  return true
end

-- Sends a request, and starts the server if it does not run. Calls `done(result)` with the answer.
-- An error is shown in one line, or passed to `failed` if given. `what`: the description of a long
-- request, which the user can cancel.
function M.request(method, params, done, failed, what)
  if not start() then
    return
  end
  if not ready then
    table.insert(waiting, function()
      M.request(method, params, done, failed, what)
    end)
    return
  end
  local client = vim.lsp.get_client_by_id(id)
  local number
  local function on_reply(err, result)
    if number then
      pending[number] = nil
    end
    if err then
      return (failed or M.error)(err.message)
    end
    done(result)
  end
  local buffer = vim.api.nvim_get_current_buf()
  local ok = false
  if client and vim.fn.has('nvim-0.11') == 1 then
    ok, number = client:request(method, params, on_reply, buffer)
  elseif client then
    ok, number = client.request(method, params, on_reply, buffer)
  end
  if not ok then
    return (failed or M.error)('the server has ended; run again, or open the trace again')
  end
  if what then
    pending[number] = what
  end
end

-- Cancels long requests and returns their descriptions. Their answers do not arrive; a trace that
-- is being read keeps its beginning.
function M.cancel()
  local cancelled = {}
  local client = id and vim.lsp.get_client_by_id(id)
  local is_new = vim.fn.has('nvim-0.11') == 1 -- functions of a client have become methods
  for number, what in pairs(pending) do
    if client and is_new then
      client:cancel_request(number)
    elseif client then
      client.cancel_request(number)
    end
    table.insert(cancelled, what)
  end
  for token, what in pairs(reading) do
    if client and is_new then
      client:notify('window/workDoneProgress/cancel', { token = token })
    elseif client then
      client.notify('window/workDoneProgress/cancel', { token = token })
    end
    table.insert(cancelled, what)
  end
  pending, reading = {}, {}
  return cancelled
end

-- Ends the server; the next command starts it again, in the folder of the current project.
function M.close()
  if id then
    closing = true
    vim.lsp.stop_client(id)
    vim.wait(5000, function()
      return id == nil
    end, 10)
  end
end

-- For :checkhealth: the folder of the running server, or nil.
function M.running_in()
  local client = id and vim.lsp.get_client_by_id(id)
  return client and client.config.root_dir
end

-- For :checkhealth: the message about the protocol version of the running server, or nil.
function M.misfit()
  return misfit
end

-- For tests: the number of lenses in a buffer.
function M.lens_count(buffer)
  return #vim.api.nvim_buf_get_extmarks(buffer, namespace, 0, -1, {})
end

-- For tests: the process of the server.
function M.pid()
  local client = id and vim.lsp.get_client_by_id(id)
  return client and client.rpc.pid
end

return M
