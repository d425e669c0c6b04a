prfix.api = 1
-- Set-up and checks of JavaScript, Deno, Ruby, PHP and Elixir projects; see commands.lua.

local cat, uniq = prfix.cat, prfix.uniq
local function step(kind, run, scope, cwd) return { kind = kind, run = run, scope = scope, cwd = cwd } end
local function add(out, s) if s then out[#out + 1] = s end end
local function at(dir, name) return dir == "" and name or dir .. "/" .. name end
local function mentions(text, word) return text ~= nil and text:find(word, 1, true) ~= nil end
local function table_of(value) return type(value) == "table" and value or {} end

-- JavaScript ------------------------------------------------------------------------------------------------------------

local LOCKS = {
  { "pnpm-lock.yaml", "pnpm", { "pnpm", "install", "--frozen-lockfile" } },
  { "yarn.lock", "yarn", { "yarn", "install", "--immutable" } },
  { "bun.lock", "bun", { "bun", "install", "--frozen-lockfile" } },
  { "bun.lockb", "bun", { "bun", "install", "--frozen-lockfile" } },
  { "package-lock.json", "npm", { "npm", "ci" } },
  { "npm-shrinkwrap.json", "npm", { "npm", "ci" } },
}
local function package(x, dir) return table_of(x.repo:json(at(dir, "package.json"))) end
local function manager_field(pkg) return type(pkg.packageManager) == "string" and pkg.packageManager:match("^(%a+)@") or nil end

-- The package manager, and the folder and command of its lock file.
local function js_manager(x)
  local field
  for _, dir in ipairs(x.above) do
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
  for _, dir in ipairs(x.above) do
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
    local code = x.code("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte")
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
    for _, f in ipairs(x.code("ts", "tsx", "js", "mts", "mjs")) do
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
    local rb = x.code("rb", "rake")
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
    for _, f in ipairs(x.code("php")) do if f:find("Test%.php$") then near[#near + 1] = f end end
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
    -- An application of an umbrella shares the root's dependencies and checks; only its own tests are narrower.
    local root, text = nil, x.text
    for _, dir in ipairs(x.above) do
      local above = dir ~= x.dir and x.repo:read(at(dir, "mix.exs")) or nil
      if mentions(above, "apps_path:") then root, text = dir, above end
    end
    local out, near = { step("setup", { "mix", "deps.get" }, nil, root) }, {}
    for _, f in ipairs(x.code("ex", "exs")) do
      local test = f:find("_test%.exs$") and f or f:gsub("^lib/", "test/"):gsub("%.ex$", "_test.exs")
      if test:find("_test%.exs$") and x.has(test) then near[#near + 1] = test end
    end
    if #near > 0 then add(out, step("test", cat({ "mix", "test" }, uniq(near)), "files")) end
    if root then add(out, step("test", { "mix", "test" }, "package")) end
    add(out, step("test", { "mix", "test" }, "workspace", root))
    if x.repo:exists(at(root or x.dir, ".formatter.exs")) then add(out, step("lint", { "mix", "format", "--check-formatted" }, nil, root)) end
    if mentions(text, ":credo") then add(out, step("lint", { "mix", "credo" }, nil, root)) end
    if mentions(text, ":dialyxir") then add(out, step("types", { "mix", "dialyzer" }, nil, root)) end
    return out
  end,
}
