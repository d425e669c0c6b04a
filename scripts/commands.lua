prfix.api = 1
-- Which commands set a checkout up and prove a change. A rule names its manifests and is asked once for each folder
-- that holds one and has touched files below it (the root, when nothing is touched). `x` has repo, dir, manifest,
-- text, files, rel_files, failing, has(name), join(name), rel(path). It answers with steps: kind ("setup", "test",
-- "lint", "types"), run (words), scope ("files" < "package" < "workspace"), cwd (else x.dir).
-- Ranks: 10 the failing CI job's own steps, 20 a task runner's target, 30 a manifest's script, 40 a tool's default.
-- Only what the repository gives evidence for is proposed.

local function step(kind, run, scope, cwd) return { kind = kind, run = run, scope = scope, cwd = cwd } end
local function cat(...)
  local out = {}
  for _, list in ipairs { ... } do
    for _, v in ipairs(list) do out[#out + 1] = v end
  end
  return out
end
local function add(out, s) if s then out[#out + 1] = s end end
local function uniq(list)
  local seen, out = {}, {}
  for _, v in ipairs(list) do
    if not seen[v] then seen[v] = true; out[#out + 1] = v end
  end
  return out
end
local function ext(files, ...)
  local want, out = {}, {}
  for _, e in ipairs { ... } do want[e] = true end
  for _, f in ipairs(files) do
    local e = f:match("%.([%w]+)$")
    -- A name that starts with a dash would be read as an option.
    if e and want[e] and f:sub(1, 1) ~= "-" then out[#out + 1] = f end
  end
  return out
end
local function folder(path) return path:match("^(.*)/[^/]*$") or "" end
-- Every folder from `dir` up to the root.
local function upwards(dir)
  local out = { dir }
  while dir ~= "" do dir = folder(dir); out[#out + 1] = dir end
  return out
end
local function at(dir, name) return dir == "" and name or dir .. "/" .. name end
-- The nearest folder at or above x.dir that holds one of the names, and the name.
local function nearest(x, names)
  for _, dir in ipairs(upwards(x.dir)) do
    for _, name in ipairs(names) do
      if x.repo:exists(at(dir, name)) then return dir, name end
    end
  end
end
local function first(x, names)
  for _, name in ipairs(names) do if x.has(name) then return name end end
end
local function mentions(text, word) return text ~= nil and text:find(word, 1, true) ~= nil end

-- What CI itself ran -----------------------------------------------------------------------------------------------------

local KNOWN = prfix.re [=[^(?:npm|pnpm|yarn|bun|npx|bunx|node|deno|make|just|task|mise|cargo|go|gotestsum|golangci-lint|staticcheck|python3?|pytest|tox|nox|uv|uvx|poetry|pdm|hatch|pipenv|rye|ruff|mypy|pyright|black|flake8|\./gradlew|gradle|\./mvnw|mvn|sbt|dotnet|bundle|rake|rspec|bin/[a-z]+|composer|vendor/bin/[a-z-]+|php|phpunit|mix|swift|zig|bazel|bazelisk|ctest|cmake|ninja|meson|terraform|tofu|tflint|pre-commit|prek|lefthook|eslint|tsc|prettier|biome|shellcheck|stack|cabal|dart|flutter|rebar3|gleam|nimble|crystal|shards|lein|clojure|julia|\./[a-z0-9_./-]+|scripts/[a-z0-9_./-]+|script/[a-z0-9_./-]+)\b]=]
local SETUP = prfix.re [=[(?i)(?:^|[ :/-])(?:install|ci|i|add|sync|restore|fetch|download|apt-get|brew|login|upload|publish|deploy|release|push|docker|curl|wget|sudo|codecov|setup|bootstrap|cache|mkdir|cp|mv|echo|export|cd|git|gh)(?:$|[ :])]=]
local LINT = prfix.re [=[(?i)\b(?:lint|eslint|ruff|clippy|fmt|format|prettier|biome|rubocop|golangci|vet|checkstyle|spotless|credo|tflint|shellcheck|pre-commit|prek|flake8|black|staticcheck|standard|stylelint|ktlint|detekt)\b]=]
local TYPES = prfix.re [=[(?i)\b(?:tsc|typecheck|type-check|types|mypy|pyright|dialyzer|phpstan|psalm|sorbet|astro check|svelte-check|vue-tsc)\b]=]
local TEST = prfix.re [=[(?i)(?:test|spec|check|verify|pytest|tox|nox|jest|vitest|ctest|phpunit|e2e)]=]

local function strip(name) return (name:gsub("%s*%b()%s*$", ""):gsub("%s+$", "")) end
-- A job's shown name is its `name` or its key, with matrix values in brackets; a called workflow adds "caller / ".
local function same_job(shown, key, def)
  local mine = type(def.name) == "string" and def.name:gsub("%s*%${{.-}}%s*", " ") or key
  local last = shown:match("([^/]+)$") or shown
  for _, name in ipairs { shown, (last:gsub("^%s+", "")) } do
    if strip(name) == key or strip(name) == strip(mine) or name == mine then return true end
    if type(def.name) == "string" and mine ~= def.name and #strip(mine) > 2 and name:sub(1, #strip(mine)) == strip(mine) then return true end
  end
  return false
end
local function same_workflow(wanted, path, def)
  return not wanted or wanted == path or wanted == def.name or path:sub(-#wanted) == wanted or path:match("([^/]+)%.ya?ml$") == wanted
end
local function plain_shell(shell) return shell == nil or shell == "bash" or shell == "sh" end
-- Values of the failing job's matrix stand in its name: "test (ubuntu-latest, 20)".
local function with_matrix(text, shown, def)
  local matrix = type(def.strategy) == "table" and type(def.strategy.matrix) == "table" and def.strategy.matrix or {}
  local values = {}
  for value in (shown:match("%((.*)%)%s*$") or ""):gmatch("[^,]+") do values[value:gsub("^%s+", ""):gsub("%s+$", "")] = true end
  return (text:gsub("%${{%s*matrix%.([%w_-]+)%s*}}", function(name)
    local list = type(matrix[name]) == "table" and matrix[name] or {}
    for _, v in ipairs(list) do if values[tostring(v)] and tostring(v):find("^[%w._+/-]+$") then return tostring(v) end end
    if #list == 1 and tostring(list[1]):find("^[%w._+/-]+$") then return tostring(list[1]) end
  end))
end

local function job_steps(out, def, wf, job)
  local defaults = type(def.defaults) == "table" and def.defaults.run or type(wf.defaults) == "table" and wf.defaults.run or {}
  for _, s in ipairs(type(def.steps) == "table" and def.steps or {}) do
    local run = type(s) == "table" and type(s.run) == "string" and with_matrix(s.run, job.name, def) or nil
    -- GitHub shows a step without a name as "Run <its first line>".
    local shown = run and (s.name or "Run " .. s.run:match("^%s*([^\n]*)"))
    local named = not job.step or (shown and (shown == job.step or s.id == job.step))
    if run and named and not run:find("${{", 1, true) and plain_shell(s.shell) then
      local cwd = s["working-directory"] or defaults["working-directory"]
      if type(cwd) ~= "string" or cwd:find("${{", 1, true) then cwd = "" end
      for _, words in ipairs(prfix.shell_lines(run)) do
        local text = table.concat(words, " ")
        if KNOWN:test(text) and not SETUP:test(text) and (job.step or TEST:test(text) or LINT:test(text) or TYPES:test(text)) then
          local kind = TYPES:test(text) and "types" or LINT:test(text) and "lint" or "test"
          add(out, step(kind, words, "workspace", cwd))
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
          for key, def in pairs(wf.jobs) do
            if type(def) == "table" then
              local called = type(def.uses) == "string" and def.uses:match("^%./(.+)$")
              local callee = called and x.repo:yaml(called)
              if type(callee) == "table" and type(callee.jobs) == "table" and job.name:find("/", 1, true) then
                for name, inner in pairs(callee.jobs) do
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

-- JavaScript ------------------------------------------------------------------------------------------------------------

local LOCKS = {
  { "pnpm-lock.yaml", "pnpm", { "pnpm", "install", "--frozen-lockfile" } },
  { "yarn.lock", "yarn", { "yarn", "install", "--immutable" } },
  { "bun.lock", "bun", { "bun", "install", "--frozen-lockfile" } },
  { "bun.lockb", "bun", { "bun", "install", "--frozen-lockfile" } },
  { "package-lock.json", "npm", { "npm", "ci" } },
  { "npm-shrinkwrap.json", "npm", { "npm", "ci" } },
}
local function table_of(value) return type(value) == "table" and value or {} end
local function package(x, dir) return table_of(x.repo:json(at(dir, "package.json"))) end
local function manager_field(pkg) return type(pkg.packageManager) == "string" and pkg.packageManager:match("^(%a+)@") or nil end

-- The package manager, and the folder and command of its lock file.
local function js_manager(x)
  local field
  for _, dir in ipairs(upwards(x.dir)) do
    field = field or manager_field(package(x, dir))
    for _, lock in ipairs(LOCKS) do
      if x.repo:exists(at(dir, lock[1])) and (not field or field == lock[2]) then
        local install = lock[3]
        local version = package(x, dir).packageManager
        local classic = type(version) == "string" and version:find("^yarn@1%.")
          or lock[2] == "yarn" and not version and mentions(x.repo:read(at(dir, lock[1])), "# yarn lockfile v1") and not x.repo:exists(at(dir, ".yarnrc.yml"))
        if classic then install = { "yarn", "install", "--frozen-lockfile" } end
        return lock[2], dir, install
      end
    end
  end
  return field or "npm", x.dir, nil
end
-- The folder of the workspace that x.dir belongs to, when it has one.
local function js_workspace(x)
  for _, dir in ipairs(upwards(x.dir)) do
    if x.repo:exists(at(dir, "pnpm-workspace.yaml")) or package(x, dir).workspaces ~= nil then return dir end
  end
end
local function real_script(script) return type(script) == "string" and script:find("%S") ~= nil and not script:find("no test specified", 1, true) end
local function script_of(scripts, wanted)
  for _, name in ipairs(wanted) do if real_script(scripts[name]) then return name end end
end
local function run_script(pm, name)
  -- `bun test` would be bun's own test runner.
  if name == "test" and pm ~= "bun" then return { pm, "test" } end
  return { pm, "run", name }
end
local EXEC = { npm = { "npx", "--no-install" }, pnpm = { "pnpm", "exec" }, yarn = { "yarn", "run" }, bun = { "bunx", "--no-install" } }
-- Watch modes never end.
local function watches(script) return type(script) == "string" and (script:find("--watch", 1, true) ~= nil and not script:find("--watch=false", 1, true) and not script:find("--watchAll=false", 1, true)) end

prfix.commands {
  name = "node", why = "scripts of package.json, run by the lock file's manager", rank = 30, manifests = { "package.json" },
  commands = function(x)
    local pkg, out = package(x, x.dir), {}
    local pm, lock_dir, install = js_manager(x)
    if install then
      add(out, step("setup", install, "package", lock_dir))
    elseif pkg.dependencies or pkg.devDependencies or pkg.workspaces or x.repo:exists(at(x.dir, "pnpm-workspace.yaml")) then
      add(out, step("setup", { pm, "install" }, "package"))
    end
    local root = js_workspace(x)
    local dev = prfix.merge(table_of(pkg.dependencies), table_of(pkg.devDependencies), root and table_of(package(x, root).devDependencies))
    local exec = EXEC[pm] or EXEC.npm
    local code = ext(x.rel_files, "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte")
    if #code > 0 then
      if dev.vitest then add(out, step("test", cat(exec, { "vitest", "related", "--run" }, code), "files"))
      elseif dev.jest then add(out, step("test", cat(exec, { "jest", "--findRelatedTests", "--passWithNoTests" }, code), "files")) end
      if dev.eslint then add(out, step("lint", cat(exec, { "eslint" }, code), "files")) end
      if dev["@biomejs/biome"] then add(out, step("lint", cat(exec, { "biome", "check" }, code), "files")) end
    end
    local function scripts(dir, scope)
      local s = table_of(package(x, dir).scripts)
      local own = {
        test = script_of(s, { "test:ci", "test", "test:unit", "tests", "unit" }),
        lint = script_of(s, { "lint:ci", "lint", "lint:check", "check:lint", "eslint" }),
        types = script_of(s, { "typecheck", "type-check", "check-types", "types:check", "tsc", "check:types" }),
      }
      if not own.lint and not own.types and real_script(s.check) then own.lint = "check" end
      for _, kind in ipairs { "test", "lint", "types" } do
        if watches(s[own[kind] or ""]) then own[kind] = nil end
        if own[kind] then add(out, step(kind, run_script(pm, own[kind]), scope, dir)) end
      end
      return own
    end
    local own = scripts(x.dir, "package")
    if not own.types and dev.typescript and x.has("tsconfig.json") then
      add(out, step("types", cat(exec, { "tsc", "--noEmit", "-p", "tsconfig.json" })))
    end
    if not own.test then
      if dev.vitest then add(out, step("test", cat(exec, { "vitest", "run" })))
      elseif dev.jest then add(out, step("test", cat(exec, { "jest" })))
      elseif watches(table_of(pkg.scripts).test) and dev["react-scripts"] then add(out, step("test", cat(exec, { "react-scripts", "test", "--watchAll=false" }))) end
    end
    -- In a workspace the root's scripts check everything.
    if root and root ~= x.dir then scripts(root, "workspace") end
    return out
  end,
}
prfix.commands {
  name = "deno", why = "deno.json", rank = 40, manifests = { "deno.json", "deno.jsonc" },
  commands = function(x)
    local tasks = table_of(table_of(x.repo:json(x.manifest)).tasks)
    local out = {}
    if x.has("deno.lock") then add(out, step("setup", { "deno", "install", "--frozen" })) end
    local pattern = x.join("**/*{_test,.test}.{ts,tsx,js,mts,mjs}")
    if tasks.test then add(out, step("test", { "deno", "task", "test" }))
    elseif x.repo:glob(pattern)[1] then add(out, step("test", { "deno", "test" })) end
    add(out, step("lint", tasks.lint and { "deno", "task", "lint" } or { "deno", "lint" }))
    add(out, step("types", tasks.check and { "deno", "task", "check" } or { "deno", "check", "." }))
    local near = {}
    for _, f in ipairs(ext(x.rel_files, "ts", "tsx", "js", "mts", "mjs")) do
      local stem = f:match("^(.*)%.%w+$")
      if f:find("[_.]test%.%w+$") then near[#near + 1] = f
      else
        for _, t in ipairs { stem .. "_test.ts", stem .. ".test.ts", stem .. "_test.tsx", stem .. ".test.tsx" } do if x.has(t) then near[#near + 1] = t end end
      end
    end
    if #near > 0 then add(out, step("test", cat({ "deno", "test" }, near), "files")) end
    return out
  end,
}

-- Python ----------------------------------------------------------------------------------------------------------------

local PY_LOCKS = {
  { "uv.lock", { "uv", "sync" }, { "uv", "run" } },
  { "poetry.lock", { "poetry", "install" }, { "poetry", "run" } },
  { "pdm.lock", { "pdm", "install" }, { "pdm", "run" } },
  { "Pipfile.lock", { "pipenv", "sync", "--dev" }, { "pipenv", "run" } },
}
local function python_setup(x, tool)
  for _, dir in ipairs(upwards(x.dir)) do
    for _, lock in ipairs(PY_LOCKS) do
      if x.repo:exists(at(dir, lock[1])) then return lock[3], { step("setup", lock[2], "package", dir) } end
    end
  end
  if tool.poetry then return { "poetry", "run" }, { step("setup", { "poetry", "install" }) } end
  if tool.pdm then return { "pdm", "run" }, { step("setup", { "pdm", "install" }) } end
  if tool.uv then return { "uv", "run" }, { step("setup", { "uv", "sync" }) } end
  if type(tool.hatch) == "table" and tool.hatch.envs then return { "hatch", "run" }, {} end
  local out = {}
  for _, name in ipairs { "requirements.txt", "requirements-dev.txt", "dev-requirements.txt", "requirements_dev.txt", "requirements-test.txt", "test-requirements.txt", "requirements/dev.txt", "requirements/test.txt" } do
    if x.has(name) then out[#out + 1] = step("setup", { "pip", "install", "-r", name }) end
  end
  return {}, out
end
local function python_tests(x)
  return x.repo:glob(x.join("**/test_*.py"))[1] or x.repo:glob(x.join("**/*_test.py"))[1]
end

prfix.commands {
  name = "python", why = "pyproject.toml, setup.cfg, tox.ini, noxfile.py, requirements", rank = 40,
  manifests = { "pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "noxfile.py", "pytest.ini", "Pipfile", "requirements.txt" },
  commands = function(x)
    local t = table_of(x.repo:toml(x.join("pyproject.toml")))
    local tool, project = table_of(t.tool), table_of(t.project)
    local poetry = table_of(tool.poetry)
    local deps = prfix.flat(t["dependency-groups"], project["optional-dependencies"], project.dependencies, table_of(tool.pdm)["dev-dependencies"], table_of(tool.uv)["dev-dependencies"])
    for _, group in ipairs { poetry["dev-dependencies"], table_of(table_of(poetry.group).dev).dependencies, table_of(table_of(poetry.group).test).dependencies, table_of(table_of(poetry.group).lint).dependencies } do
      for name in pairs(group) do deps = deps .. name .. "\n" end
    end
    local hatch = table_of(table_of(table_of(tool.hatch).envs).default)
    deps = deps .. prfix.flat(hatch.dependencies, hatch["extra-dependencies"])
    for _, file in ipairs(x.repo:glob(x.join("{requirements*.txt,*requirements.txt,requirements/*.txt,Pipfile,setup.cfg,setup.py,tox.ini,noxfile.py}"))) do
      deps = deps .. (x.repo:read(file) or "") .. "\n"
    end
    local function uses(name) return tool[name] ~= nil or mentions(deps, name) end
    local pre, out = python_setup(x, tool)
    local py = ext(x.rel_files, "py", "pyi")
    local tests = python_tests(x)
    local has_pytest = uses("pytest") or x.has("pytest.ini") or x.has("conftest.py") or x.has("tests/conftest.py")
    if has_pytest or tests then
      local unittest = not has_pytest and mentions(x.repo:read(tests), "import unittest") and not mentions(x.repo:read(tests), "import pytest")
      local near = {}
      for _, f in ipairs(py) do
        local base = f:match("([^/]+)%.py$")
        if base and (base:find("^test_") or base:find("_test$")) then near[#near + 1] = f
        elseif base and base ~= "__init__" and base ~= "conftest" then
          for _, g in ipairs(x.repo:glob(x.join("**/test_" .. base .. ".py"))) do near[#near + 1] = x.rel(g) end
          for _, g in ipairs(x.repo:glob(x.join("**/" .. base .. "_test.py"))) do near[#near + 1] = x.rel(g) end
        end
      end
      if unittest then
        add(out, step("test", cat(pre, { #pre > 0 and "python" or "python3", "-m", "unittest" })))
      else
        local pytest = cat(pre, { "pytest" })
        if #near > 0 then add(out, step("test", cat(pytest, uniq(near)), "files")) end
        if x.has("noxfile.py") and not uses("pytest") then add(out, step("test", cat(pre, { "nox" })))
        elseif (x.has("tox.ini") or tool.tox) and not uses("pytest") then add(out, step("test", cat(pre, { "tox" })))
        else add(out, step("test", pytest)) end
      end
    elseif x.has("noxfile.py") then add(out, step("test", cat(pre, { "nox" })))
    elseif x.has("tox.ini") or tool.tox then add(out, step("test", cat(pre, { "tox" }))) end
    local hatch_test = table_of(hatch.scripts).test
    if hatch_test and #pre > 0 and pre[1] == "hatch" then
      for i = #out, 1, -1 do if out[i].kind == "test" and out[i].scope ~= "files" then table.remove(out, i) end end
      add(out, step("test", { "hatch", "run", "test" }))
    end
    local function runs(words) return cat(pre, words) end
    if uses("ruff") or x.has("ruff.toml") or x.has(".ruff.toml") then
      if #py > 0 then add(out, step("lint", runs(cat({ "ruff", "check" }, py)), "files")) end
      add(out, step("lint", runs { "ruff", "check", "." }))
      if table_of(tool.ruff).format then add(out, step("lint", runs { "ruff", "format", "--check", "." })) end
    elseif uses("flake8") or x.has(".flake8") then
      if #py > 0 then add(out, step("lint", runs(cat({ "flake8" }, py)), "files")) end
      add(out, step("lint", runs { "flake8" }))
    elseif uses("pylint") and x.has(".pylintrc") then
      if #py > 0 then add(out, step("lint", runs(cat({ "pylint" }, py)), "files")) end
    end
    if tool.black then add(out, step("lint", runs { "black", "--check", "." })) end
    if uses("mypy") or x.has("mypy.ini") or x.has(".mypy.ini") then add(out, step("types", runs { "mypy", "." })) end
    if uses("pyright") or x.has("pyrightconfig.json") then add(out, step("types", runs { "pyright" })) end
    return out
  end,
}

-- Rust, Go, Zig, Swift ------------------------------------------------------------------------------------------------

prfix.commands {
  name = "cargo", why = "Cargo.toml; nextest where it is configured", rank = 40, manifests = { "Cargo.toml" },
  commands = function(x)
    -- The workspace is the farthest folder above whose manifest declares one.
    local root
    for _, dir in ipairs(upwards(x.dir)) do
      if table_of(x.repo:toml(at(dir, "Cargo.toml"))).workspace then root = dir end
    end
    local base = root or x.dir
    local name = table_of(table_of(x.repo:toml(x.manifest)).package).name
    local nextest = x.repo:exists(at(base, ".config/nextest.toml"))
    local test = nextest and { "cargo", "nextest", "run" } or { "cargo", "test" }
    local all = root and { "--workspace" } or {}
    local out = { step("setup", x.repo:exists(at(base, "Cargo.lock")) and { "cargo", "fetch", "--locked" } or { "cargo", "fetch" }, "package", base) }
    add(out, step("test", cat(test, all), "workspace", base))
    add(out, step("lint", cat({ "cargo", "clippy" }, all, { "--all-targets", "--", "-D", "warnings" }), "workspace", base))
    add(out, step("lint", cat({ "cargo", "fmt" }, root and { "--all" } or {}, { "--check" }), "workspace", base))
    if root and name and #x.files > 0 then
      add(out, step("test", cat(test, { "-p", name }), "files", base))
      add(out, step("lint", { "cargo", "clippy", "-p", name, "--all-targets", "--", "-D", "warnings" }, "files", base))
    end
    return out
  end,
}
prfix.commands {
  name = "go", why = "go.mod: the packages of the touched files", rank = 40, manifests = { "go.mod" },
  commands = function(x)
    local packages = {}
    for _, f in ipairs(ext(x.rel_files, "go")) do
      local dir = folder(f)
      packages[#packages + 1] = dir == "" and "." or "./" .. dir
    end
    packages = uniq(packages)
    local out = { step("setup", { "go", "mod", "download" }) }
    if #packages > 0 then
      add(out, step("test", cat({ "go", "test" }, packages), "files"))
      add(out, step("lint", cat({ "go", "vet" }, packages), "files"))
    end
    add(out, step("test", { "go", "test", "./..." }))
    add(out, step("lint", { "go", "vet", "./..." }))
    if nearest(x, { ".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json" }) then add(out, step("lint", { "golangci-lint", "run" })) end
    return out
  end,
}
prfix.commands {
  name = "zig", why = "build.zig", rank = 40, manifests = { "build.zig" },
  commands = function(x)
    local out = {}
    if mentions(x.text, '"test"') then add(out, step("test", { "zig", "build", "test" })) else add(out, step("test", { "zig", "build" })) end
    local zig = ext(x.rel_files, "zig")
    if #zig > 0 then add(out, step("lint", cat({ "zig", "fmt", "--check" }, zig), "files")) end
    add(out, step("lint", { "zig", "fmt", "--check", "." }))
    return out
  end,
}
prfix.commands {
  name = "swift", why = "Package.swift", rank = 40, manifests = { "Package.swift" },
  commands = function(x)
    local out = { step("setup", { "swift", "package", "resolve" }) }
    add(out, step("test", (mentions(x.text, ".testTarget") or x.has("Tests")) and { "swift", "test" } or { "swift", "build" }))
    if nearest(x, { ".swiftlint.yml" }) then add(out, step("lint", { "swiftlint", "lint", "--strict" })) end
    return out
  end,
}

-- JVM, .NET -------------------------------------------------------------------------------------------------------------

prfix.commands {
  name = "maven", why = "pom.xml", rank = 40, manifests = { "pom.xml" },
  commands = function(x)
    local root = x.dir
    for _, dir in ipairs(upwards(x.dir)) do if x.repo:exists(at(dir, "pom.xml")) then root = dir end end
    local mvn = x.repo:exists(at(root, "mvnw")) and "./mvnw" or "mvn"
    local module = root ~= x.dir and { "-pl", root == "" and x.dir or x.dir:sub(#root + 2), "-am" } or {}
    local classes = {}
    for _, f in ipairs(ext(x.rel_files, "java", "kt")) do
      local class = f:match("([^/]+)%.%w+$")
      classes[#classes + 1] = class:find("Tests?$") and class or class .. "Test"
    end
    local out = { step("setup", { mvn, "-B", "-q", "dependency:go-offline" }, "package", root) }
    if #classes > 0 then
      add(out, step("test", cat({ mvn, "-B" }, module, { "-Dsurefire.failIfNoSpecifiedTests=false", "-DfailIfNoTests=false", "-Dtest=" .. table.concat(uniq(classes), ","), "test" }), "files", root))
    end
    if #module > 0 then add(out, step("test", cat({ mvn, "-B" }, module, { "test" }), "package", root)) end
    add(out, step("test", { mvn, "-B", "test" }, "workspace", root))
    if mentions(x.repo:read(at(root, "pom.xml")), "spotless-maven-plugin") then add(out, step("lint", { mvn, "-B", "spotless:check" }, "workspace", root)) end
    if mentions(x.repo:read(at(root, "pom.xml")), "maven-checkstyle-plugin") then add(out, step("lint", { mvn, "-B", "checkstyle:check" }, "workspace", root)) end
    return out
  end,
}
prfix.commands {
  name = "gradle", why = "Gradle build files", rank = 40, manifests = { "build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle" },
  commands = function(x)
    local root = nearest(x, { "settings.gradle.kts", "settings.gradle", "gradlew" }) or x.dir
    local gradle = x.repo:exists(at(root, "gradlew")) and "./gradlew" or "gradle"
    local out = {}
    if root ~= x.dir then
      local project = ":" .. (root == "" and x.dir or x.dir:sub(#root + 2)):gsub("/", ":")
      add(out, step("test", { gradle, project .. ":test" }, "package", root))
    end
    add(out, step("test", { gradle, "test" }, "workspace", root))
    local builds = (x.text or "") .. (x.repo:read(at(root, "build.gradle.kts")) or "") .. (x.repo:read(at(root, "build.gradle")) or "")
    for _, tool in ipairs { { "spotless", "spotlessCheck" }, { "detekt", "detekt" }, { "ktlint", "ktlintCheck" }, { "checkstyle", "checkstyleMain" } } do
      if mentions(builds, tool[1]) then add(out, step("lint", { gradle, tool[2] }, "workspace", root)) end
    end
    return out
  end,
}
prfix.commands {
  name = "sbt", why = "build.sbt", rank = 40, manifests = { "build.sbt" },
  commands = function(x)
    local out = { step("setup", { "sbt", "update" }), step("test", { "sbt", "test" }) }
    if x.has(".scalafmt.conf") then add(out, step("lint", { "sbt", "scalafmtCheckAll" })) end
    return out
  end,
}
prfix.commands {
  name = "dotnet", why = "solutions and projects", rank = 40, manifests = { "*.sln", "*.slnx", "*.csproj", "*.fsproj", "*.vbproj" },
  commands = function(x)
    local root, solution = x.dir, nil
    for _, dir in ipairs(upwards(x.dir)) do
      local found = x.repo:glob(at(dir, "*.{sln,slnx}"))[1]
      if found then root, solution = dir, found end
    end
    local out = {}
    local locked = x.repo:glob(at(root, "**/packages.lock.json"))[1]
    add(out, step("setup", locked and { "dotnet", "restore", "--locked-mode" } or { "dotnet", "restore" }, "package", root))
    local tests = x.repo:glob(at(root, "**/*{Test,Tests,UnitTests,Specs}.{csproj,fsproj,vbproj}"))
    if #tests == 0 then
      for _, f in ipairs(x.repo:glob(at(root, "**/*.{csproj,fsproj,vbproj}"))) do
        if mentions(x.repo:read(f), "Microsoft.NET.Test.Sdk") then tests[#tests + 1] = f end
      end
    end
    add(out, step("test", #tests > 0 and { "dotnet", "test" } or { "dotnet", "build" }, "workspace", root))
    if #tests > 0 and root ~= x.dir and not solution then add(out, step("test", { "dotnet", "test" }, "package")) end
    if x.repo:exists(at(root, ".editorconfig")) then add(out, step("lint", { "dotnet", "format", "--verify-no-changes" }, "workspace", root)) end
    return out
  end,
}

-- Ruby, PHP, Elixir -----------------------------------------------------------------------------------------------------

prfix.commands {
  name = "ruby", why = "Gemfile, Rakefile, gemspec", rank = 40, manifests = { "Gemfile", "Rakefile", "*.gemspec" },
  commands = function(x)
    local out, near = {}, {}
    local gems = (x.repo:read(x.join("Gemfile")) or "") .. (x.repo:read(x.join("Gemfile.lock")) or "")
    for _, f in ipairs(x.repo:glob(x.join("*.gemspec"))) do gems = gems .. (x.repo:read(f) or "") end
    local bundled = x.has("Gemfile")
    local pre = bundled and { "bundle", "exec" } or {}
    if bundled then add(out, step("setup", { "bundle", "install" })) end
    local rb = ext(x.rel_files, "rb", "rake")
    if mentions(gems, "rspec") or x.has(".rspec") then
      for _, f in ipairs(rb) do
        if f:find("_spec%.rb$") then near[#near + 1] = f
        else
          local spec = "spec/" .. f:gsub("^app/", ""):gsub("%.rb$", "_spec.rb")
          local lib = "spec/" .. f:gsub("^lib/", ""):gsub("%.rb$", "_spec.rb")
          if x.has(spec) then near[#near + 1] = spec elseif x.has(lib) then near[#near + 1] = lib end
        end
      end
      if #near > 0 then add(out, step("test", cat(pre, { "rspec" }, uniq(near)), "files")) end
      add(out, step("test", cat(pre, { "rspec" })))
    elseif x.has("bin/rails") and x.has("test") then
      for _, f in ipairs(rb) do
        local test = f:find("_test%.rb$") and f or "test/" .. f:gsub("^app/", ""):gsub("%.rb$", "_test.rb")
        if x.has(test) then near[#near + 1] = test end
      end
      if #near > 0 then add(out, step("test", cat({ "bin/rails", "test" }, uniq(near)), "files")) end
      add(out, step("test", { "bin/rails", "test" }))
    elseif x.has("Rakefile") and (x.has("test") or mentions(x.repo:read(x.join("Rakefile")), "TestTask") or mentions(gems, "minitest")) then
      add(out, step("test", cat(pre, { "rake", "test" })))
    end
    if mentions(gems, "rubocop") or x.has(".rubocop.yml") then
      if #rb > 0 then add(out, step("lint", cat(pre, { "rubocop", "--force-exclusion" }, rb), "files")) end
      add(out, step("lint", cat(pre, { "rubocop" })))
    elseif mentions(gems, "standard") and x.has(".standard.yml") then add(out, step("lint", cat(pre, { "standardrb" }))) end
    if x.has("sorbet/config") then add(out, step("types", cat(pre, { "srb", "tc" }))) end
    return out
  end,
}
prfix.commands {
  name = "composer", why = "composer.json", rank = 30, manifests = { "composer.json" },
  commands = function(x)
    local json = table_of(x.repo:json(x.manifest))
    local scripts, dev = table_of(json.scripts), prfix.merge(table_of(json.require), table_of(json["require-dev"]))
    local out = { step("setup", { "composer", "install", "--no-interaction" }) }
    local test
    for _, n in ipairs { "test", "tests", "phpunit", "test:unit", "pest" } do if scripts[n] then test = { "composer", "run-script", n } break end end
    if not test and (dev["pestphp/pest"] or x.has("vendor/bin/pest")) then test = { "vendor/bin/pest" } end
    if not test and (x.has("phpunit.xml") or x.has("phpunit.xml.dist") or x.has("phpunit.dist.xml") or dev["phpunit/phpunit"]) then
      test = x.has("artisan") and { "php", "artisan", "test" } or { "vendor/bin/phpunit" }
    end
    add(out, test and step("test", test))
    local near = {}
    for _, f in ipairs(ext(x.rel_files, "php")) do if f:find("Test%.php$") then near[#near + 1] = f end end
    if #near > 0 and dev["phpunit/phpunit"] then for _, f in ipairs(near) do add(out, step("test", { "vendor/bin/phpunit", f }, "files")) end end
    local lint
    for _, n in ipairs { "lint", "cs", "cs:check", "cs-check", "phpcs", "check-style", "style", "format:check" } do if scripts[n] then lint = { "composer", "run-script", n } break end end
    if not lint and (x.has("phpcs.xml") or x.has("phpcs.xml.dist")) then lint = { "vendor/bin/phpcs" } end
    if not lint and (x.has(".php-cs-fixer.php") or x.has(".php-cs-fixer.dist.php")) then lint = { "vendor/bin/php-cs-fixer", "fix", "--dry-run", "--diff" } end
    if not lint and x.has("pint.json") then lint = { "vendor/bin/pint", "--test" } end
    add(out, lint and step("lint", lint))
    if x.has("phpstan.neon") or x.has("phpstan.neon.dist") or x.has("phpstan.dist.neon") then add(out, step("types", { "vendor/bin/phpstan", "analyse" }))
    elseif x.has("psalm.xml") or x.has("psalm.xml.dist") then add(out, step("types", { "vendor/bin/psalm" })) end
    return out
  end,
}
prfix.commands {
  name = "mix", why = "mix.exs", rank = 40, manifests = { "mix.exs" },
  commands = function(x)
    local out, near = { step("setup", { "mix", "deps.get" }) }, {}
    for _, f in ipairs(ext(x.rel_files, "ex", "exs")) do
      local test = f:find("_test%.exs$") and f or f:gsub("^lib/", "test/"):gsub("%.ex$", "_test.exs")
      if test:find("_test%.exs$") and x.has(test) then near[#near + 1] = test end
    end
    if #near > 0 then add(out, step("test", cat({ "mix", "test" }, uniq(near)), "files")) end
    add(out, step("test", { "mix", "test" }))
    if x.has(".formatter.exs") then add(out, step("lint", { "mix", "format", "--check-formatted" })) end
    if mentions(x.text, ":credo") then add(out, step("lint", { "mix", "credo" })) end
    if mentions(x.text, ":dialyxir") then add(out, step("types", { "mix", "dialyzer" })) end
    return out
  end,
}

-- Others ----------------------------------------------------------------------------------------------------------------

prfix.commands {
  name = "cmake", why = "CMake presets, or a build folder", rank = 40, at_root = true, manifests = { "CMakePresets.json", "CMakeLists.txt" },
  commands = function(x)
    local presets = table_of(x.repo:json("CMakePresets.json"))
    local configure, build, test = table_of(presets.configurePresets), table_of(presets.buildPresets), table_of(presets.testPresets)
    local function visible(list) for _, p in ipairs(list) do if type(p) == "table" and not p.hidden then return p.name end end end
    local tests = visible(test)
    local lists = x.repo:read("CMakeLists.txt")
    local out = {}
    if tests then
      local setup = visible(configure)
      if setup then add(out, step("setup", { "cmake", "--preset", setup }, "workspace")) end
      if visible(build) then add(out, step("test", { "cmake", "--build", "--preset", visible(build) }, "workspace")) end
      add(out, step("test", { "ctest", "--preset", tests, "--output-on-failure" }, "workspace"))
    elseif lists then
      add(out, step("setup", { "cmake", "-S", ".", "-B", "build" }, "workspace"))
      add(out, step("test", { "cmake", "--build", "build" }, "workspace"))
      if mentions(lists, "enable_testing") or mentions(lists, "add_test") or mentions(lists, "include(CTest)") then
        add(out, step("test", { "ctest", "--test-dir", "build", "--output-on-failure" }, "workspace"))
      end
    end
    return out
  end,
}
prfix.commands {
  name = "meson", why = "meson.build", rank = 40, at_root = true, manifests = { "meson.build" },
  commands = function(x)
    if not mentions(x.text, "project(") then return {} end
    return { step("setup", { "meson", "setup", "build" }, "workspace"), step("test", { "meson", "test", "-C", "build" }, "workspace") }
  end,
}
prfix.commands {
  name = "bazel", why = "Bazel: the nearest package, and everything", rank = 40, manifests = { "BUILD.bazel", "BUILD", "MODULE.bazel", "WORKSPACE", "WORKSPACE.bazel" },
  commands = function(x)
    local root = nearest(x, { "MODULE.bazel", "WORKSPACE.bazel", "WORKSPACE" })
    if not root then return {} end
    local bazel = x.repo:exists(".bazelversion") and "bazelisk" or "bazel"
    local out = { step("test", { bazel, "test", "//..." }, "workspace", root) }
    if root ~= x.dir and #x.files > 0 then
      add(out, step("test", { bazel, "test", "//" .. (root == "" and x.dir or x.dir:sub(#root + 2)) .. "/..." }, "files", root))
    end
    return out
  end,
}
prfix.commands {
  name = "dart", why = "pubspec.yaml", rank = 40, manifests = { "pubspec.yaml" },
  commands = function(x)
    local tool = mentions(x.text, "sdk: flutter") and "flutter" or "dart"
    local out = { step("setup", { tool, "pub", "get" }), step("lint", { tool, "analyze" }) }
    if x.has("test") then add(out, step("test", { tool, "test" })) end
    return out
  end,
}
prfix.commands {
  name = "haskell", why = "stack.yaml, cabal.project", rank = 40, manifests = { "stack.yaml", "cabal.project", "*.cabal" },
  commands = function(x)
    if x.has("stack.yaml") then return { step("setup", { "stack", "build", "--only-dependencies", "--test" }), step("test", { "stack", "test" }) } end
    return { step("setup", { "cabal", "build", "--only-dependencies", "--enable-tests", "all" }), step("test", { "cabal", "test", "all" }) }
  end,
}
prfix.commands {
  name = "terraform", why = "Terraform or OpenTofu files", rank = 40, manifests = { "main.tf", "versions.tf" },
  commands = function(x)
    local bin = x.repo:exists(".opentofu-version") and "tofu" or "terraform"
    local out = { step("setup", { bin, "init", "-backend=false" }), step("lint", { bin, "fmt", "-check" }), step("types", { bin, "validate" }) }
    if nearest(x, { ".tflint.hcl" }) then add(out, step("lint", { "tflint" })) end
    return out
  end,
}
local function hooks(x, runner)
  local out = { step("lint", { runner, "run", "--all-files" }, "workspace") }
  if #x.files > 0 then add(out, step("lint", cat({ runner, "run", "--files" }, x.files), "files")) end
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
    if #x.files > 0 then
      local words = { "lefthook", "run", "pre-commit" }
      for _, f in ipairs(x.files) do words[#words + 1] = "--file"; words[#words + 1] = f end
      add(out, step("lint", words, "files"))
    end
    return out
  end,
}
