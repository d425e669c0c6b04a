prfix.api = 1
-- Whether a changed file can still be read by its language. `argv` is run with the file behind it, where its program is
-- installed; it must not run the file, nor write anything.

-- -I: or an `ast.py` of the checkout would be imported, and run.
local READS_PYTHON = "import ast, sys\nast.parse(open(sys.argv[1], 'rb').read(), sys.argv[1])"

prfix.syntax { name = "python", globs = { "**/*.py", "**/*.pyi" }, argv = { "python3", "-I", "-c", READS_PYTHON } }
prfix.syntax { name = "ruby", globs = { "**/*.rb", "**/Rakefile", "**/*.gemspec" }, argv = { "ruby", "-c" } }
prfix.syntax { name = "php", globs = { "**/*.php" }, argv = { "php", "-l" } }
-- Of `.js` only its package says whether it is a module.
prfix.syntax { name = "javascript", globs = { "**/*.mjs", "**/*.cjs" }, argv = { "node", "--check" } }
prfix.syntax { name = "shell", globs = { "**/*.sh", "**/*.bash" }, argv = { "bash", "-n" } }
prfix.syntax { name = "lua", globs = { "**/*.lua" }, argv = { "luac", "-p" } }
prfix.syntax { name = "go", globs = { "**/*.go" }, argv = { "gofmt", "-l", "-e" } }
-- What the program reads itself.
prfix.syntax { name = "json", globs = { "**/*.json" }, parse = "json" }
prfix.syntax { name = "toml", globs = { "**/*.toml" }, parse = "toml" }
prfix.syntax { name = "yaml", globs = { "**/*.yml", "**/*.yaml" }, parse = "yaml" }
