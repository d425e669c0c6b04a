prfix.api = 1
-- Which commands set a checkout up and prove a change. A rule names its manifests and is asked once for each folder
-- that holds one and has touched files below it (the root, when nothing is touched). `x` has repo, dir, manifest,
-- text, files, rel_files, failing, above, and a few functions; see git-prfix-rules(5). It answers with steps: kind ("setup", "test",
-- "lint", "types"), run (words), scope ("files" < "package" < "workspace"), cwd (else x.dir).
-- Ranks: 10 the failing CI job's own steps, 20 a task runner's target, 30 a manifest's script, 40 a tool's default.
-- Only what the repository gives evidence for is proposed.

local cat = prfix.cat
local function step(kind, run, scope, cwd) return { kind = kind, run = run, scope = scope, cwd = cwd } end
local function add(out, s) if s then out[#out + 1] = s end end
local function mentions(text, word) return text ~= nil and text:find(word, 1, true) ~= nil end

-- What CI itself ran -----------------------------------------------------------------------------------------------------

local KNOWN = prfix.re [=[^(?:npm|pnpm|yarn|bun|npx|bunx|node|deno|make|just|task|mise|cargo|go|gotestsum|golangci-lint|staticcheck|python3?|pytest|tox|nox|uv|uvx|poetry|pdm|hatch|pipenv|rye|ruff|mypy|pyright|black|flake8|\./gradlew|gradle|\./mvnw|mvn|sbt|dotnet|bundle|rake|rspec|bin/[a-z]+|composer|vendor/bin/[a-z-]+|php|phpunit|mix|swift|zig|bazel|bazelisk|ctest|cmake|ninja|meson|terraform|tofu|tflint|pre-commit|prek|lefthook|eslint|tsc|prettier|biome|shellcheck|(?:ba)?sh [a-z0-9_./][a-z0-9_./-]*|stack|cabal|dart|flutter|rebar3|gleam|nimble|crystal|shards|lein|clojure|julia|\./[a-z0-9_./-]+|scripts/[a-z0-9_./-]+|script/[a-z0-9_./-]+)\b]=]
local BUILD = prfix.re [=[(?i)(?:build|compile|validate|bench|\bdocs?\b)]=]
local LINT = prfix.re [=[(?i)\b(?:lint|eslint|ruff|clippy|fmt|format|prettier|biome|rubocop|golangci|vet|checkstyle|spotless|credo|tflint|shellcheck|pre-commit|prek|flake8|black|staticcheck|standard|stylelint|ktlint|detekt)\b]=]
local TYPES = prfix.re [=[(?i)\b(?:tsc|typecheck|type-check|types|mypy|pyright|dialyzer|phpstan|psalm|sorbet|astro check|svelte-check|vue-tsc)\b]=]
local TEST = prfix.re [=[(?i)(?:test|spec|check|verify|pytest|tox|nox|jest|vitest|ctest|phpunit|e2e)]=]

local function set(words)
  local out = {}
  for word in words:gmatch("%S+") do out[word] = true end
  return out
end
-- What prepares a machine, reaches others, or changes more than the checkout is never taken from a workflow.
local ELSEWHERE = set [[
  install i add sync restore fetch download login logout upload publish unpublish deploy deployment release push docker
  sudo codecov coveralls bootstrap apply destroy import migrate migration seed start serve dev up down watch ssh scp rsync
  kubectl helm aws gcloud az twine sign notarize promote rollback tag bump commit apt brew curl wget git gh export setup
  cache production prod staging semantic-release changeset goreleaser
]]
local WHOLE = set "ci version whoami dist-tag clean-install"
-- As an option these say how a check is done.
local HARMLESS = set "release i add cache setup dev tag production import watch start"
local function elsewhere(words)
  for at, word in ipairs(words) do
    local option = word:match("^%-%-?([^=]*)")
    local text = (option or word):lower()
    if not option and WHOLE[text] then return true end
    -- A target's name has parts; so has the program's. Those of a path are its folders and files.
    local program = at == 1 or at == 2 and (words[1] == "sh" or words[1] == "bash")
    local path = not program and text:find("[./]")
    for part in text:gmatch(path and "[^:/-]+" or "[^:/.,_-]+") do
      if ELSEWHERE[part] and not (option and HARMLESS[part]) then return true end
    end
    if ELSEWHERE[text] and not option then return true end
  end
  return false
end

-- The names of jobs, always in the same order.
local function sorted(jobs)
  local out = {}
  for key in pairs(jobs) do if type(key) == "string" then out[#out + 1] = key end end
  table.sort(out)
  return out
end
local function strip(name) return (name:gsub("%s*%b()%s*$", ""):gsub("%s+$", "")) end
-- A called workflow's job is shown as "caller / name".
local function last_part(shown) return shown:match(" / ([^/]+)$") or shown:match("([^/]+)$") or shown end
-- A pattern for what a job's `name` looks like when it is filled in, and the matrix keys of its captures.
local function template(name)
  local names, out, from = {}, "^", 1
  if type(name) ~= "string" then return "^$", names end
  local function literal(text) return (text:gsub("%p", "%%%0")) end
  for first, inner, after in name:gmatch("()%${{(.-)}}()") do
    local key = inner:match("^%s*matrix%.([%w_-]+)%s*$")
    out = out .. literal(name:sub(from, first - 1)) .. (key and "(.-)" or ".-")
    if key then names[#names + 1] = key end
    from = after
  end
  return out .. literal(name:sub(from)) .. "$", names
end
-- A job's shown name is its `name` or its key, with matrix values in brackets; a called workflow adds "caller / ".
local function same_job(shown, key, def)
  local mine = type(def.name) == "string" and def.name:gsub("%s*%${{.-}}%s*", " ") or key
  local pattern = template(def.name)
  for _, name in ipairs { shown, last_part(shown) } do
    if #strip(mine) > 2 and name:find(pattern) then return true end
    if strip(name) == key or strip(name) == strip(mine) or name == mine then return true end
    if type(def.name) == "string" and mine ~= def.name and #strip(mine) > 2 and name:sub(1, #strip(mine)) == strip(mine) then return true end
  end
  return false
end
local function same_workflow(wanted, path, def)
  return not wanted or wanted == path or wanted == def.name or path:sub(-#wanted) == wanted or path:match("([^/]+)%.ya?ml$") == wanted
end
local function plain_shell(shell) return shell == nil or shell == "bash" or shell == "sh" end
local function listed(value) return type(value) == "table" and value or {} end
-- What the failing job's name says of its matrix: the values as a set, and those whose place in the name tells which they are.
local function shown_values(shown, def)
  local set, by_name = {}, {}
  for value in (shown:match("%((.*)%)%s*$") or ""):gmatch("[^,]+") do set[value:gsub("^%s+", ""):gsub("%s+$", "")] = true end
  local pattern, names = template(def.name)
  local whole = shown:find(pattern) and shown or last_part(shown)
  for at, value in ipairs { whole:match(pattern) } do
    if names[at] then by_name[names[at]], set[value] = value, true end
  end
  return set, by_name
end
-- One value of a matrix: the one that the job's name shows, that of the `include` entry which it shows, or the only one there is.
local function matrix_value(name, matrix, set, by_name)
  local own, included, found, count = listed(matrix[name]), listed(matrix.include), nil, 0
  local function is(value, shown) return value ~= nil and tostring(value) == shown end
  for _, value in ipairs(own) do if is(value, by_name[name]) then return tostring(value) end end
  for _, entry in ipairs(included) do if is(listed(entry)[name], by_name[name]) then return by_name[name] end end
  for _, value in ipairs(own) do if set[tostring(value)] then return tostring(value) end end
  for _, entry in ipairs(included) do
    local value, here = listed(entry)[name], false
    if type(value) == "table" then value = nil end
    for _, other in pairs(listed(entry)) do here = here or set[tostring(other)] == true end
    if value ~= nil and (here or #included + #own == 1) and tostring(value) ~= found then found, count = tostring(value), count + 1 end
  end
  if count == 1 then return found end
  if count == 0 and #own == 1 then return tostring(own[1]) end
end
local function with_matrix(text, shown, def)
  local matrix = listed(listed(def.strategy).matrix)
  local set, by_name = shown_values(shown, def)
  return (text:gsub("%${{%s*matrix%.([%w_-]+)%s*}}", function(name)
    local value = matrix_value(name, matrix, set, by_name)
    return value and value:find("^[%w.][%w._+/-]*$") and value or nil
  end))
end

-- Literal values only: an expression may hold a secret. Names by which a program finds others or itself stay as they are.
local KEPT = prfix.re [=[^(?:PATH|HOME|SHELL|USER|PWD|TMPDIR|IFS|ENV|BASH_ENV|(?:LD|DYLD|GIT|SSH|PRFIX|GITHUB|RUNNER|ACTIONS)_.*)$]=]
local SECRET = prfix.re [=[(?i)token|secret|passw|credential|api_?key|private_?key]=]
local function with_env(words, sources, shown, def)
  local values, assignments = {}, {}
  for _, source in ipairs(sources) do
    for name, value in pairs(type(source) == "table" and source or {}) do
      local text = type(value) ~= "table" and with_matrix(tostring(value), shown, def) or "${{"
      local fits = type(name) == "string" and name:find("^[%a_][%w_]*$") and not KEPT:test(name) and not SECRET:test(name)
      if fits then values[name] = not text:find("${{", 1, true) and not text:find("[%c]") and text or nil end
    end
  end
  for name, value in pairs(values) do assignments[#assignments + 1] = name .. "=" .. value end
  table.sort(assignments)
  return #assignments > 0 and cat({ "env" }, assignments, words) or words
end

-- The folder that `cd path` leads to, or nil when it is not below this one.
local function inside(cwd, path)
  path = path:gsub("^%./", ""):gsub("/+$", "")
  if path == "" or path:sub(1, 1) == "/" or path:sub(1, 1) == "-" or path:find("..", 1, true) then return nil end
  return path == "." and cwd or cwd == "" and path or cwd:gsub("/+$", "") .. "/" .. path
end

local function job_steps(out, def, wf, job)
  local defaults = type(def.defaults) == "table" and def.defaults.run or type(wf.defaults) == "table" and wf.defaults.run or {}
  for _, s in ipairs(type(def.steps) == "table" and def.steps or {}) do
    local run = type(s) == "table" and type(s.run) == "string" and with_matrix(s.run, job.name, def) or nil
    -- GitHub shows a step without a name as "Run <its first line>".
    local shown = run and (s.name or "Run " .. s.run:match("^%s*([^\n]*)"))
    local named = not job.step or (shown and (shown == job.step or s.id == job.step))
    local cwd = run and (s["working-directory"] or defaults["working-directory"] or "")
    if type(cwd) == "string" then cwd = with_matrix(cwd, job.name, def) end
    -- A secret says that the step talks to somebody: only the step that failed is worth a try without it.
    local secret = run and not job.step and prfix.flat(s.env):find("secrets.", 1, true)
    local plain = run and not secret and not run:find("${{", 1, true)
    if named and plain and plain_shell(s.shell or defaults.shell) and type(cwd) == "string" and not cwd:find("${{", 1, true) then
      for _, words in ipairs(prfix.shell_lines(run)) do
        local text = table.concat(words, " ")
        if words[1] == "cd" or words[1] == "pushd" or words[1] == "popd" then
          cwd = words[1] == "cd" and #words == 2 and inside(cwd, words[2]) or nil
          if not cwd then break end
        elseif KNOWN:test(text) and not elsewhere(words) and (TEST:test(text) or LINT:test(text) or TYPES:test(text) or job.step and BUILD:test(text)) then
          local kind = TYPES:test(text) and "types" or LINT:test(text) and "lint" or "test"
          add(out, step(kind, with_env(words, { wf.env or false, def.env or false, s.env or false }, job.name, def), "workspace", cwd))
        end
      end
    end
  end
end

prfix.commands {
  name = "ci-steps", why = "the failing job's own run: steps are the best evidence", rank = 10, at_root = true,
  manifests = { ".github/workflows" },
  commands = function(x)
    local out, files = {}, nil
    for _, job in ipairs(x.failing or {}) do
      files = files or cat(x.repo:glob(".github/workflows/*.yml"), x.repo:glob(".github/workflows/*.yaml"))
      for _, path in ipairs(files) do
        local wf = x.repo:yaml(path)
        if type(wf) == "table" and type(wf.jobs) == "table" and same_workflow(job.workflow, path, wf) then
          for _, key in ipairs(sorted(wf.jobs)) do
            local def = wf.jobs[key]
            if type(def) == "table" then
              local called = type(def.uses) == "string" and def.uses:match("^%./(.+)$")
              local callee = called and x.repo:yaml(called)
              if type(callee) == "table" and type(callee.jobs) == "table" and job.name:find("/", 1, true) then
                for _, name in ipairs(sorted(callee.jobs)) do
                  local inner = callee.jobs[name]
                  if type(inner) == "table" and same_job(job.name, name, inner) then job_steps(out, inner, callee, job) end
                end
              elseif same_job(job.name, key, def) then
                job_steps(out, def, wf, job)
              end
            end
          end
        end
      end
    end
    return out
  end,
}

-- Task runners ----------------------------------------------------------------------------------------------------------

local TARGETS = {
  { "test", { "test", "tests", "check", "unit", "unit-test", "unittest", "test-unit", "test:unit", "test-all", "ci-test" } },
  { "lint", { "lint", "check-lint", "lint-check", "clippy", "vet", "format-check", "fmt-check", "check-format", "style" } },
  { "types", { "typecheck", "type-check", "types", "mypy" } },
}
-- A target stands for its whole folder. `check` counts as the test when there is no test target.
local function targets(found, words)
  local out = {}
  for _, kind in ipairs(TARGETS) do
    for _, name in ipairs(kind[2]) do
      if found[name] then add(out, step(kind[1], words(name))) break end
    end
  end
  return out
end
local function names(text, pattern)
  local found = {}
  for line in (text .. "\n"):gmatch("([^\n]*)\n") do
    local name = line:match(pattern)
    if name then found[name] = true end
  end
  return found
end

prfix.commands {
  name = "make", why = "targets of the Makefile", rank = 20, manifests = { "GNUmakefile", "makefile", "Makefile" },
  commands = function(x)
    local found = {}
    for line in ((x.text or "") .. "\n"):gmatch("([^\n]*)\n") do
      -- Not variables (`test := 1`), recipes, or special targets.
      local heads, rest = line:match("^([%w_%./ -]+)::?(.*)$")
      if heads and rest:sub(1, 1) ~= "=" and heads:sub(1, 1) ~= "." then
        for name in heads:gmatch("%S+") do found[name] = true end
      end
    end
    return targets(found, function(n) return { "make", n } end)
  end,
}
prfix.commands {
  name = "just", why = "recipes of the justfile", rank = 20, manifests = { "justfile", "Justfile", ".justfile" },
  commands = function(x) return targets(names((x.text or ""):gsub("\n", " \n"), "^@?([%w_-]+)[^:]*:[^=]"), function(n) return { "just", n } end) end,
}
prfix.commands {
  name = "task", why = "tasks of the Taskfile", rank = 20, manifests = { "Taskfile.yml", "Taskfile.yaml", "Taskfile.dist.yml", "taskfile.yml" },
  commands = function(x)
    local y = x.repo:yaml(x.manifest)
    return targets(y and type(y.tasks) == "table" and y.tasks or {}, function(n) return { "task", n } end)
  end,
}
prfix.commands {
  name = "mise", why = "tasks of mise", rank = 20, manifests = { "mise.toml", ".mise.toml" },
  commands = function(x)
    local t = x.repo:toml(x.manifest)
    return targets(t and type(t.tasks) == "table" and t.tasks or {}, function(n) return { "mise", "run", n } end)
  end,
}

-- Hook runners ------------------------------------------------------------------------------------------------------------

-- A name that starts with a dash would be read as an option.
local function plain(files)
  local out = {}
  for _, f in ipairs(files) do if f:sub(1, 1) ~= "-" then out[#out + 1] = f end end
  return out
end
local function hooks(x, runner)
  local files = plain(x.files)
  local out = { step("lint", { runner, "run", "--all-files" }, "workspace") }
  if #files > 0 then add(out, step("lint", cat({ runner, "run", "--files" }, files), "files")) end
  return out
end
prfix.commands {
  name = "pre-commit", why = "the hooks that everybody is asked to run", rank = 30, at_root = true,
  manifests = { "prek.toml", ".pre-commit-config.yaml", ".pre-commit-config.yml" },
  commands = function(x) return hooks(x, x.manifest == "prek.toml" and "prek" or "pre-commit") end,
}
prfix.commands {
  name = "lefthook", why = "lefthook's pre-commit group", rank = 30, at_root = true,
  manifests = { "lefthook.yml", "lefthook.yaml", ".lefthook.yml", "lefthook.toml" },
  commands = function(x)
    if not mentions(x.text, "pre-commit") then return {} end
    local out = { step("lint", { "lefthook", "run", "pre-commit", "--all-files" }, "workspace") }
    local files = plain(x.files)
    if #files > 0 then
      local words = { "lefthook", "run", "pre-commit" }
      for _, f in ipairs(files) do words[#words + 1] = "--file"; words[#words + 1] = f end
      add(out, step("lint", words, "files"))
    end
    return out
  end,
}
