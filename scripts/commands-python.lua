prfix.api = 1
-- Set-up and checks of Python projects; see commands.lua.

local cat, uniq = prfix.cat, prfix.uniq
local function step(kind, run, scope, cwd) return { kind = kind, run = run, scope = scope, cwd = cwd } end
local function add(out, s) if s then out[#out + 1] = s end end
local function at(dir, name) return dir == "" and name or dir .. "/" .. name end
local function mentions(text, word) return text ~= nil and text:find(word, 1, true) ~= nil end
local function table_of(value) return type(value) == "table" and value or {} end

local PY_LOCKS = {
  { "uv.lock", { "uv", "sync" }, { "uv", "run" } },
  { "poetry.lock", { "poetry", "install" }, { "poetry", "run" } },
  { "pdm.lock", { "pdm", "install" }, { "pdm", "run" } },
  { "Pipfile.lock", { "pipenv", "sync", "--dev" }, { "pipenv", "run" } },
}
local function python_setup(x, tool)
  for _, dir in ipairs(x.above) do
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
    for _, file in ipairs(x.repo:glob(x.join("{requirements*.txt,*requirements.txt,requirements/*.txt,Pipfile,setup.cfg,setup.py}"))) do
      deps = deps .. (x.repo:read(file) or "") .. "\n"
    end
    -- What only tox or nox installs is there inside of their environments alone.
    local runners = ""
    for _, file in ipairs { "tox.ini", "noxfile.py" } do runners = runners .. (x.repo:read(x.join(file)) or "") end
    local function uses(name) return tool[name] ~= nil or mentions(deps, name) end
    local function by_runner(name) return not uses(name) and mentions(runners, name) end
    local pre, out = python_setup(x, tool)
    local py = x.code("py", "pyi")
    local tests = python_tests(x)
    local has_pytest = uses("pytest") or x.has("pytest.ini") or x.has("conftest.py") or x.has("tests/conftest.py")
    if by_runner("pytest") then has_pytest = false end
    if has_pytest or tests and runners == "" then
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
        add(out, step("test", pytest))
      end
    elseif x.has("noxfile.py") or x.has("tox.ini") or tool.tox then
      -- These make environments of their own and install into them.
      if #pre == 0 then out = {} end
      add(out, step("test", cat(pre, { x.has("noxfile.py") and "nox" or "tox" })))
    end
    -- pdm's own scripts are what its users type.
    for _, kind in ipairs { "test", "lint" } do
      if pre[1] == "pdm" and table_of(table_of(tool.pdm).scripts)[kind] then
        for i = #out, 1, -1 do if out[i].kind == kind and out[i].scope ~= "files" then table.remove(out, i) end end
        add(out, step(kind, { "pdm", "run", kind }))
      end
    end
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
