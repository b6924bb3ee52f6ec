-- SPDX-License-Identifier: Apache-2.0
-- Neovim's own client, with no plugin: from a code lens to a moved cursor, and what it shows else.
local SERVER, WORKSPACE = vim.env.SERVER, vim.env.WORKSPACE

local function test()
  vim.cmd('edit ' .. WORKSPACE .. '/cholesky.c')
  local buffer, uri = vim.api.nvim_get_current_buf(), vim.uri_from_bufnr(0)
  local shown, started = {}, false
  local id = vim.lsp.start_client({
    cmd = { SERVER, 'serve' },
    root_dir = WORKSPACE,
    workspace_folders = { { uri = vim.uri_from_fname(WORKSPACE), name = 'w' } },
    on_init = function() started = true end,
    handlers = {
      ['window/showMessage'] = function(_, params) table.insert(shown, params.message) end,
    },
  })
  run_until('the server', function() return started end)
  vim.lsp.buf_attach_client(0, id)
  local client = vim.lsp.get_client_by_id(id)

  local function command(name, argument)
    local params = { command = name, arguments = { argument } }
    local reply = client.request_sync('workspace/executeCommand', params, 1000000, 0)
    assert(reply and not reply.err, vim.inspect(reply))
    return reply.result
  end
  local opened = command('tasklens.openTrace', { uris = { WORKSPACE .. '/prof_file_0' } })
  assert(opened.tasks > 0)

  -- Lenses: asked for, shown behind their lines, run at the cursor.
  vim.lsp.codelens.refresh()
  local lenses = run_until('lenses', function()
    local found = vim.lsp.codelens.get(0)
    return #found > 0 and found
  end)
  local site
  for _, lens in ipairs(lenses) do
    if lens.command.command == 'tasklens.showSite' then site = site or lens end
  end
  assert(site.command.title:find('tasks · '), site.command.title)
  vim.api.nvim_win_set_cursor(0, { site.range.start.line + 1, 0 })
  vim.lsp.codelens.run()
  run_until('the sentence about the site', function()
    return shown[#shown] and shown[#shown]:find('tasks · ', 1, true)
  end)

  -- From what a lens names to its line: the cursor moves there.
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  local location = command('tasklens.reveal', site.command.arguments[1]).location
  assert(vim.lsp.util.jump_to_location(location, client.offset_encoding))
  assert(vim.api.nvim_win_get_cursor(0)[1] == site.range.start.line + 1)

  -- From the line that submits to the codelet, by the editor's own command.
  local before = vim.api.nvim_win_get_cursor(0)[1]
  vim.lsp.buf.definition()
  run_until('the cursor to move', function() return vim.api.nvim_win_get_cursor(0)[1] ~= before end)

  local hover = client.request_sync('textDocument/hover', {
    textDocument = { uri = uri },
    position = site.range.start,
  }, 1000000, buffer).result
  assert(hover.contents.value:find('tasks', 1, true))

  -- Advice comes by itself.
  run_until('diagnostics', function() return #vim.diagnostic.get(buffer) > 0 end)
  vim.lsp.stop_client(id)
  run_until('the end of the server', function() return vim.lsp.client_is_stopped(id) end)
end

local ok, problem = xpcall(test, debug.traceback)
if not ok then
  io.stderr:write('FAILED: ' .. tostring(problem) .. '\n')
  vim.cmd('cquit 1')
end
io.stdout:write('ok\n')
vim.cmd('qall!')
