prfix.api = 1
-- How to call the coding agents' command lines: words, never a shell line. `input` has role ("probe", "fix",
-- "verify"), worktree, model, max_turns, budget_usd, sandboxed, schema_file, schema, prompt_file, scratch, checks
-- (lists of words). Only "fix" may write. With `sandboxed` the program's own sandbox holds the CLI and all that it
-- starts: a probe can't write the worktree whatever its flags say, and a CLI's own sandbox may not start inside.
-- The answer: argv, prompt ("stdin" or "argument"), env, pass_env, state_dirs, output.

local function cat(...)
  local out = {}
  for _, list in ipairs { ... } do
    for _, word in ipairs(list) do out[#out + 1] = word end
  end
  return out
end
local function model(input, flag) return input.model and { flag, input.model } or {} end
local function writes(input) return input.role == "fix" end

local PROXY = { "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS" }

-- The worktree's own settings could run commands and redirect the endpoint, even in plan mode: only the user's count.
prfix.agent {
  name = "claude", why = "Claude Code in print mode", needs = "claude", order = 10,
  invoke = function(input)
    local argv = { "claude", "-p", "--output-format", "json", "--setting-sources", "user", "--strict-mcp-config", "--no-session-persistence" }
    local limits = { "--max-turns", tostring(input.max_turns) }
    if input.budget_usd then limits = cat(limits, { "--max-budget-usd", ("%.2f"):format(input.budget_usd) }) end
    if writes(input) then
      local commands = { "--allowedTools", "Bash" }
      if not input.sandboxed then
        commands = { "--settings", prfix.json { sandbox = {
          enabled = true, failIfUnavailable = false, autoAllowBashIfSandboxed = true, allowUnsandboxedCommands = false,
        } } }
      end
      argv = cat(argv, { "--permission-mode", "acceptEdits", "--tools", "Read,Grep,Glob,Edit,Write,Bash" }, commands, limits)
    else
      argv = cat(argv, { "--permission-mode", "plan", "--tools", "Read,Grep,Glob" }, limits)
    end
    return {
      argv = cat(argv, model(input, "--model")), output = "claude-json", state_dirs = { ".claude", ".claude.json", ".cache/claude-cli-nodejs" },
      env = { DISABLE_AUTOUPDATER = "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC = "1", CLAUDE_CODE_MAX_RETRIES = "4" },
      pass_env = cat({ "ANTHROPIC_*", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_*", "AWS_REGION", "AWS_PROFILE", "AWS_BEARER_TOKEN_BEDROCK", "CLOUD_ML_REGION" }, PROXY),
    }
  end,
}

-- A worktree would inherit the main repository's trust, and with it the commands of its configuration.
prfix.agent {
  name = "codex", why = "Codex exec", needs = "codex", order = 20,
  invoke = function(input)
    local untrusted = ("projects={%s={trust_level=\"untrusted\"}}"):format(prfix.json(input.worktree))
    local argv = {
      "codex", "exec", "--json", "-C", input.worktree, "--ephemeral", "--disable", "plugins", "-c", "analytics.enabled=false",
      "-c", "shell_environment_policy.inherit=core", "-c", untrusted,
    }
    -- Its sandbox (bubblewrap) needs mounts, which no process inside of ours may make.
    if input.sandboxed then
      argv = cat(argv, { "-s", "danger-full-access" })
    elseif writes(input) then
      argv = cat(argv, { "-s", "workspace-write", "-c", "sandbox_workspace_write.exclude_slash_tmp=true", "-c", "sandbox_workspace_write.exclude_tmpdir_env_var=true" })
    else
      argv = cat(argv, { "-s", "read-only" })
    end
    if not writes(input) then argv = cat(argv, { "--output-schema", input.schema_file }) end
    return {
      argv = cat(argv, model(input, "-m"), { "-" }), output = "codex-jsonl", state_dirs = { ".codex" },
      pass_env = cat({ "OPENAI_*", "CODEX_HOME", "CODEX_API_KEY", "AZURE_OPENAI_*" }, PROXY),
    }
  end,
}

-- Without --bare, allow rules of the worktree beat plan mode.
prfix.agent {
  name = "qwen", why = "Qwen Code", needs = "qwen", order = 30,
  invoke = function(input)
    local argv = { "qwen", "--bare", "--auth-type", "openai", "-o", "json", "--max-session-turns", tostring(input.max_turns) }
    if writes(input) then
      argv = cat(argv, { "--yolo" })
    else
      argv = cat(argv, { "--approval-mode", "plan", "--exclude-tools", "edit,write_file,run_shell_command" })
    end
    return {
      argv = cat(argv, model(input, "-m")), output = "qwen-json", state_dirs = { ".qwen" },
      pass_env = cat({ "OPENAI_*", "QWEN_*", "DASHSCOPE_*" }, PROXY),
    }
  end,
}

prfix.agent {
  name = "gemini", why = "Gemini CLI", needs = "gemini", order = 40,
  invoke = function(input)
    return {
      argv = cat(
        { "gemini", "--skip-trust", "--approval-mode", writes(input) and "yolo" or "plan", "--allowed-mcp-server-names", "none", "-e", "none", "-o", "json" },
        model(input, "-m")
      ),
      output = "gemini-json", state_dirs = { ".gemini" },
      pass_env = cat({ "GEMINI_*", "GOOGLE_*", "CLOUDSDK_*" }, PROXY),
    }
  end,
}

-- `--agent plan` would still run commands: permissions decide.
prfix.agent {
  name = "opencode", why = "opencode run", needs = "opencode", order = 50,
  invoke = function(input)
    local permission = { ["*"] = "deny", read = "allow", grep = "allow", glob = "allow", list = "allow" }
    if writes(input) then
      permission.edit = "allow"
      permission.bash = { ["*"] = "deny" }
      for _, words in ipairs(input.checks or {}) do permission.bash[table.concat(words, " ") .. "*"] = "allow" end
    end
    return {
      argv = cat({ "opencode", "run", "--format", "json" }, model(input, "-m")), output = "opencode-jsonl",
      -- Not .config/opencode: a plugin that is put there runs in each later session.
      state_dirs = { ".local/share/opencode", ".local/state/opencode", ".cache/opencode" },
      env = { OPENCODE_DISABLE_PROJECT_CONFIG = "1", OPENCODE_DISABLE_AUTOUPDATE = "1", OPENCODE_DISABLE_SHARE = "1", OPENCODE_CONFIG_CONTENT = prfix.json { permission = permission } },
      pass_env = cat({ "ANTHROPIC_*", "OPENAI_*", "OPENROUTER_*", "GEMINI_*", "OPENCODE_API_KEY", "XDG_*" }, PROXY),
    }
  end,
}

-- It unpacks itself into its cache, also when it only probes.
prfix.agent {
  name = "copilot", why = "GitHub Copilot CLI", needs = "copilot", order = 60,
  invoke = function(input)
    local argv = { "copilot", "-C", input.worktree, "-s", "--no-ask-user", "--disable-builtin-mcps", "--no-auto-update", "--no-custom-instructions" }
    if writes(input) then
      argv = cat(argv, { "--allow-all-tools", "--deny-tool", "shell(git push)" })
    else
      argv = cat(argv, { "--available-tools", "view,grep,glob" })
    end
    return {
      argv = cat(argv, model(input, "--model")), output = "text", state_dirs = { ".copilot", ".cache/copilot" },
      pass_env = cat({ "COPILOT_*" }, PROXY),
    }
  end,
}

-- Judged by git, never by its exit status, which is 0 even when the key is refused. Its map of the repository leaves a
-- folder in the worktree, its linter asks the model again, and as whole files the manifest's fence would be an edit.
prfix.agent {
  name = "aider", why = "aider with one message and no commits of its own", needs = "aider", order = 70,
  invoke = function(input)
    local argv = {
      "aider", "--message-file", input.prompt_file, "--yes-always", "--no-auto-commits", "--no-dirty-commits", "--no-gitignore",
      "--no-analytics", "--no-check-update", "--no-pretty", "--no-stream", "--no-suggest-shell-commands",
      "--map-tokens", "0", "--no-auto-lint", "--no-detect-urls", "--no-show-model-warnings", "--no-show-release-notes",
      "--input-history-file", input.scratch .. "/input.history", "--chat-history-file", input.scratch .. "/chat.history.md",
    }
    argv = cat(argv, writes(input) and { "--edit-format", "diff" } or { "--chat-mode", "ask", "--dry-run" })
    return {
      argv = cat(argv, model(input, "--model")), prompt = "argument", output = "text", state_dirs = { ".aider" },
      pass_env = cat({ "ANTHROPIC_*", "OPENAI_*", "OPENROUTER_*", "GEMINI_*", "DEEPSEEK_*", "AIDER_*" }, PROXY),
    }
  end,
}

-- Its own "read-only" believes the model's word for the risk of a command: only reading tools are offered.
prfix.agent {
  name = "droid", why = "Factory droid exec", needs = "droid", order = 80,
  invoke = function(input)
    local argv = { "droid", "exec", "-o", "json", "--cwd", input.worktree }
    if writes(input) then argv = cat(argv, { "--auto", "medium" }) else argv = cat(argv, { "--only-tools", "Read,LS,Grep,Glob" }) end
    return {
      argv = cat(argv, model(input, "-m"), { "-f", input.prompt_file }), prompt = "argument", output = "claude-json", state_dirs = { ".factory" },
      pass_env = cat({ "FACTORY_*" }, PROXY),
    }
  end,
}
