-- Pai in Neovim 0.7 or later. Copy this file into ~/.config/nvim/plugin; pai is in PATH.
--
--   :Pai add a power function      plans beneath the current directory, and shows the diff in a
--                                  window beside; the cursor stays where it is
--   y   in that window             applies exactly what it shows
--   q   in that window             forgets it
--   :PaiAnswer TEXT                answers what the last plan asks
--   :PaiUndo                       takes the last change back
--
-- While it works, nothing is locked. A file that changed since is refused, and so is one with
-- changes in a buffer that aren't written.

local function say(text, level)
  vim.notify('pai: ' .. text:gsub('%s*\n%s*', '; '), level or vim.log.levels.INFO)
end

-- run starts a command with a text on its standard input, and gives what it printed to done.
local function run(command, input, done)
  local out, err = {}, {}
  local job = vim.fn.jobstart(command, {
    env = { NO_COLOR = '1' },
    stdout_buffered = true,
    stderr_buffered = true,
    on_stdout = function(_, data) out = data end,
    on_stderr = function(_, data) err = data end,
    on_exit = function(_, code)
      done(code, table.concat(out, '\n'), vim.trim(table.concat(err, '\n')))
    end,
  })
  if job <= 0 then
    say(command[1] .. ' is not in PATH', vim.log.levels.ERROR)
    return
  end
  if input ~= '' then
    vim.fn.chansend(job, input)
  end
  vim.fn.chanclose(job, 'stdin')
end

-- decode reads a document; nil if it is none.
local function decode(text)
  local ok, doc = pcall(vim.fn.json_decode, text)
  return ok and type(doc) == 'table' and doc or nil
end

local shown -- the buffer that was opened last

local function close(buffer)
  if buffer and vim.api.nvim_buf_is_valid(buffer) then
    vim.api.nvim_buf_delete(buffer, { force = true })
  end
end

-- show opens a buffer with lines in a window beside, without going there, in the place of the
-- last one.
local function show(lines, filetype)
  close(shown)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].modifiable = false
  local from = vim.api.nvim_get_current_win()
  vim.cmd('botright vsplit')
  vim.api.nvim_win_set_buf(0, buffer)
  vim.api.nvim_set_current_win(from)
  vim.bo[buffer].filetype = filetype
  shown = buffer
  return buffer
end

-- unwritten is a buffer beneath root with changes at one of the paths; nil if there is none.
local function unwritten(root, paths)
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.bo[buffer].modified then
      local name = vim.fn.resolve(vim.api.nvim_buf_get_name(buffer))
      for path in pairs(paths) do
        if name == vim.fn.resolve(root .. '/' .. path) then
          return path
        end
      end
    end
  end
end

-- lines_of are what a person reads of a sealed document, what wants a yes first.
local function lines_of(doc)
  local lines, risky = { '# y applies exactly this, q forgets it' }, false
  for _, step in ipairs(doc.plan.execution_plan.steps) do
    local line = '# ' .. step.action .. ' ' .. vim.fn.strtrans(step.target or '')
    if step.destination then
      line = line .. ' to ' .. vim.fn.strtrans(step.destination)
    end
    if step.risk then
      line = line .. '  RISK: ' .. vim.fn.strtrans(step.risk)
      risky = true
    end
    if step.caution then
      line = line .. '  caution: ' .. vim.fn.strtrans(step.caution)
    end
    table.insert(lines, line)
  end
  for _, step in ipairs(doc.exec.steps) do
    for _, line in ipairs(vim.split(step.diff or '', '\n', { trimempty = true })) do
      table.insert(lines, line)
    end
    if step.output and step.output ~= '' then
      for _, line in ipairs(vim.split(step.output, '\n')) do
        table.insert(lines, '# ' .. line)
      end
    end
  end
  return lines, risky
end

-- offer shows a sealed document, and applies it when y is typed in its window.
local function offer(root, text, doc)
  local lines, risky = lines_of(doc)
  local buffer = show(lines, 'diff')
  vim.keymap.set('n', 'q', function() close(buffer) end, { buffer = buffer })
  vim.keymap.set('n', 'y', function()
    local path = unwritten(root, doc.seal.paths)
    if path then
      say(path .. ' has changes that are not written', vim.log.levels.ERROR)
      return
    end
    close(buffer)
    local command = { 'pai-exec', '--root', root, '--yes' }
    if risky then
      table.insert(command, '--allow-risky')
    end
    run(command, text, function(code, _, err)
      vim.cmd('checktime')
      say(code == 0 and 'applied' or err, code ~= 0 and vim.log.levels.ERROR or nil)
    end)
  end, { buffer = buffer, nowait = true })
  say('a diff to look at')
end

local asked -- the document whose plan asks something, with its root

-- answered shows what came of a request.
local function answered(root, code, text, err)
  local doc = decode(text)
  if not doc or doc.error then
    say(err ~= '' and err or ('exit code ' .. code), vim.log.levels.ERROR)
  elseif doc.plan and doc.plan.question then
    -- Whatever is being typed now answers nothing.
    asked = { root = root, text = text }
    say('it asks: ' .. vim.fn.strtrans(doc.plan.question) .. ' (:PaiAnswer TEXT)')
  elseif doc.seal and next(doc.seal.paths) then
    offer(root, text, doc)
  elseif doc.intent and doc.intent.reply then
    show(vim.split(doc.intent.reply, '\n'), 'markdown')
  elseif doc.exec then
    show(lines_of(doc), 'markdown')
  end
end

local function ask(root, arguments, input)
  local command = vim.list_extend({ 'pai', '--root', root, '--output', 'json' }, arguments)
  run(command, input, function(code, text, err) answered(root, code, text, err) end)
end

vim.api.nvim_create_user_command('Pai', function(arguments)
  ask(vim.fn.getcwd(), { '--', arguments.args }, '')
  say('working …')
end, { nargs = '+', desc = 'plan a change and show its diff' })

vim.api.nvim_create_user_command('PaiAnswer', function(arguments)
  if not asked then
    say('nothing was asked', vim.log.levels.ERROR)
    return
  end
  local question = asked
  asked = nil
  ask(question.root, { '--answer', arguments.args }, question.text)
end, { nargs = '+', desc = 'answer what the last plan asks' })

vim.api.nvim_create_user_command('PaiUndo', function()
  run({ 'pai-exec', '--root', vim.fn.getcwd(), '--undo' }, '', function(code, text, err)
    vim.cmd('checktime')
    say(code == 0 and vim.trim(text) or err, code ~= 0 and vim.log.levels.ERROR or nil)
  end)
end, { desc = 'take the last change of Pai back' })
