prfix.api = 1
-- Set-up and checks of projects in compiled languages, and of build systems; see commands.lua.

local cat, uniq = prfix.cat, prfix.uniq
local function step(kind, run, scope, cwd) return { kind = kind, run = run, scope = scope, cwd = cwd } end
local function add(out, s) if s then out[#out + 1] = s end end
local function at(dir, name) return dir == "" and name or dir .. "/" .. name end
local function mentions(text, word) return text ~= nil and text:find(word, 1, true) ~= nil end
local function table_of(value) return type(value) == "table" and value or {} end
local function folder(path) return path:match("^(.*)/[^/]*$") or "" end

-- Rust, Go, Zig, Swift ------------------------------------------------------------------------------------------------

prfix.commands {
  name = "cargo", why = "Cargo.toml; nextest where it is configured", rank = 40, manifests = { "Cargo.toml" },
  commands = function(x)
    -- The workspace is the farthest folder above whose manifest declares one.
    local root
    for _, dir in ipairs(x.above) do
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
    for _, f in ipairs(x.code("go")) do
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
    if x.nearest({ ".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json" }) then add(out, step("lint", { "golangci-lint", "run" })) end
    return out
  end,
}
prfix.commands {
  name = "zig", why = "build.zig", rank = 40, manifests = { "build.zig" },
  commands = function(x)
    local out = {}
    if mentions(x.text, '"test"') then add(out, step("test", { "zig", "build", "test" })) else add(out, step("test", { "zig", "build" })) end
    local zig = x.code("zig")
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
    if x.nearest({ ".swiftlint.yml" }) then add(out, step("lint", { "swiftlint", "lint", "--strict" })) end
    return out
  end,
}

-- JVM, .NET -------------------------------------------------------------------------------------------------------------

prfix.commands {
  name = "maven", why = "pom.xml", rank = 40, manifests = { "pom.xml" },
  commands = function(x)
    local root = x.dir
    for _, dir in ipairs(x.above) do if x.repo:exists(at(dir, "pom.xml")) then root = dir end end
    local mvn = x.repo:exists(at(root, "mvnw")) and "./mvnw" or "mvn"
    local module = root ~= x.dir and { "-pl", root == "" and x.dir or x.dir:sub(#root + 2), "-am" } or {}
    local classes = {}
    for _, f in ipairs(x.code("java", "kt")) do
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
    local root = x.nearest({ "settings.gradle.kts", "settings.gradle", "gradlew" }) or x.dir
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
    for _, dir in ipairs(x.above) do
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
    local root = x.nearest({ "MODULE.bazel", "WORKSPACE.bazel", "WORKSPACE" })
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
    if x.nearest({ ".tflint.hcl" }) then add(out, step("lint", { "tflint" })) end
    return out
  end,
}
