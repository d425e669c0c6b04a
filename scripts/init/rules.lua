prfix.api = 1
-- Rules of this repository for git-prfix; see git-prfix-rules(5). They count once they are on the default branch.
-- Try them with `git prfix rules check`, `git prfix rules test` and `git prfix rules explain <pr>`.

-- Whoever writes [no-prfix] into a comment keeps it from the agent; tests/rules.lua tries this.
prfix.noise {
  name = "no-prfix", why = "its author wrote [no-prfix]",
  drop = function(c)
    if c.body:find("[no-prfix]", 1, true) then return true end
  end,
}

-- A bot whose comments in the conversation are noise:
-- prfix.noise {
--   name = "our-bot", why = "restates the release notes",
--   drop = function(c) if c.author.login == "our-bot" then return true end end,
-- }

-- Paths that a run must leave alone:
-- prfix.protect { name = "schema", why = "migrations are written by people", globs = { "db/migrations/**" } }

-- What proves a change here, when the inference is not right:
-- prfix.commands {
--   name = "web", why = "see CONTRIBUTING.md", manifests = { "package.json" },
--   commands = function(x) return { { kind = "test", run = { "npm", "run", "test:ci" } } } end,
-- }
