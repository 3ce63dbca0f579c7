-- Goes through steps: perhaps an edit, then what must be shown.  Waits for each; what is never shown is a failure.
local PATIENCE = 120000

local function hints(buffer)
  local shown = {}
  for _, item in ipairs(vim.lsp.inlay_hint.get({ bufnr = buffer })) do
    local hint = item.inlay_hint
    table.insert(shown, { hint.position.line, hint.position.character, hint.label })
  end
  table.sort(shown, function(a, b) return a[1] < b[1] or (a[1] == b[1] and a[2] < b[2]) end)
  return shown
end

local function diagnostics(buffer)
  local shown = {}
  for _, one in ipairs(vim.diagnostic.get(buffer)) do
    table.insert(shown, { one.lnum, one.col, one.end_lnum, one.end_col, one.code })
  end
  return shown
end

local function settled(buffer)
  local uri = vim.uri_from_bufnr(buffer)
  local seen = vim.wait(PATIENCE, function()
    return _G.idle[uri] ~= nil and _G.idle[uri] >= vim.lsp.util.buf_versions[buffer]
  end, 20)
  assert(seen, 'no fx/idle for ' .. uri)
end

local function shows(what, buffer, wanted)
  -- After fx/idle the editor still has to ask for the hints and to draw them.
  local same = vim.wait(PATIENCE, function() return vim.deep_equal(what(buffer), wanted) end, 20)
  assert(same, 'shown instead: ' .. vim.json.encode(what(buffer)))
end

local ok, message = pcall(function()
  local buffer = vim.api.nvim_get_current_buf()
  for _, step in ipairs(vim.json.decode(vim.env.FX_LSP_STEPS)) do
    if step.line then vim.api.nvim_buf_set_lines(buffer, step.line, step.line + 1, true, { step.text }) end
    settled(buffer)
    shows(hints, buffer, step.hints)
    shows(diagnostics, buffer, step.diagnostics)
  end
end)
if not ok then
  io.stderr:write(tostring(message) .. '\n')
  vim.cmd('cquit 1')
end
vim.cmd('qa!')
