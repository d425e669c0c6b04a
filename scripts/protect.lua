prfix.api = 1
-- Paths that a run may not change unless the operator allows their class (`--allow ci`). The class `tests` is
-- different: tests may be written and corrected, only not deleted or disabled.

prfix.protect {
  name = "ci", class = "ci", why = "CI configuration decides what is checked, and runs with secrets",
  globs = {
    ".github/workflows/**", ".github/actions/**", "**/action.yml", "**/action.yaml", ".github/dependabot.yml",
    ".github/codecov.yml", "codecov.yml", ".codecov.yml",
    ".gitlab-ci.yml", ".gitlab-ci.yaml", ".gitlab/ci/**", ".circleci/**", "Jenkinsfile", "**/Jenkinsfile", "Jenkinsfile.*",
    "azure-pipelines.yml", "azure-pipelines.yaml", "azure-pipelines-*.yml", ".azure-pipelines/**", ".azuredevops/**",
    ".buildkite/**", "buildkite.yml", ".travis.yml", "appveyor.yml", ".appveyor.yml", ".drone.yml", ".drone.star",
    ".woodpecker.yml", ".woodpecker/**", ".cirrus.yml", ".semaphore/**", "bitbucket-pipelines.yml", ".teamcity/**",
    "cloudbuild.yaml", "cloudbuild.yml", "buildspec.yml", "wercker.yml", ".tekton/**", ".forgejo/workflows/**",
    ".gitea/workflows/**", ".harness/**", "concourse/**/pipeline.yml", ".mergify.yml", ".github/mergify.yml",
    ".bazelci/**", ".ci/**", "screwdriver.yaml", "bors.toml",
  },
}

prfix.protect {
  name = "prfix", class = "prfix", why = "the rules of git-prfix choose commands",
  globs = { ".prfix", ".prfix/**", "**/.prfix/**" },
}

prfix.protect {
  name = "hooks", class = "hooks", why = "hooks run on the machine of whoever commits",
  globs = {
    ".husky/**", ".githooks/**", ".git-hooks/**", "lefthook.yml", "lefthook.yaml", "lefthook.toml", ".lefthook.yml",
    ".lefthook/**", "lefthook-local.yml", ".pre-commit-config.yaml", ".pre-commit-config.yml", "prek.toml",
    ".pre-commit-hooks.yaml", ".overcommit.yml", ".lintstagedrc", ".lintstagedrc.*", "lint-staged.config.*",
    ".gitattributes", "**/.gitattributes", ".gitmodules", ".simple-git-hooks.*", ".envrc", "**/.envrc",
  },
}

prfix.protect {
  name = "secrets", class = "secrets", why = "credentials are no agent's business",
  globs = {
    "**/.env", "**/.env.*", "**/*.pem", "**/*.key", "**/*.p12", "**/*.pfx", "**/*.jks", "**/*.keystore", "**/id_rsa*",
    "**/id_ed25519*", "**/id_ecdsa*", "**/.netrc", "**/.npmrc", "**/.pypirc", "**/credentials.json",
    "**/service-account*.json", "**/*.kdbx", "**/secrets.yml", "**/secrets.yaml",
  },
}

prfix.protect {
  name = "ownership", class = "ci", why = "who has to approve is for people to decide",
  globs = { "CODEOWNERS", ".github/CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS" },
}

prfix.protect {
  name = "agents", class = "hooks", why = "agents run the hooks and tools that these files name",
  globs = {
    ".claude/**", ".mcp.json", ".codex/**", ".qwen/**", ".gemini/**", ".opencode/**", "opencode.json", "opencode.jsonc",
    ".cursor/**", ".aider.conf.yml", ".factory/**", ".vscode/mcp.json", ".vscode/tasks.json",
  },
}

prfix.protect {
  name = "tests", class = "tests", why = "a red test is not made green by removing it",
  globs = {
    "**/test/**", "**/tests/**", "**/__tests__/**", "**/spec/**", "**/specs/**", "**/testdata/**", "**/e2e/**",
    "**/integration_test/**", "**/*Tests/**", "**/src/test/**", "**/androidTest/**",
    "**/test_*.py", "**/*_test.py", "**/conftest.py", "**/*_test.go", "**/*_test.rs", "**/tests.rs",
    "**/*.{test,spec,cy,e2e}.{js,jsx,ts,tsx,mjs,cjs,mts,cts,vue,svelte}", "**/*_test.{js,ts,jsx,tsx,mjs}",
    "**/*{Test,Tests,IT,Spec}.{java,kt,groovy,scala,cs,fs,vb,swift,php}", "**/*_spec.rb", "**/*_test.rb",
    "**/test_*.rb", "**/*_test.exs", "**/*_test.{c,cc,cpp,cxx,ml,dart,lua,zig,clj,hs,erl}",
    "**/test_*.{c,cc,cpp,cxx}", "**/*_SUITE.erl", "**/*.bats", "**/*.t", "**/*.feature", "**/*.snap",
    "jest.config.*", "**/jest.config.*", "**/vitest.config.*", "**/karma.conf.*", "**/.mocharc*", "**/pytest.ini",
    "**/tox.ini", "**/noxfile.py", "**/phpunit.xml", "**/phpunit.xml.dist", "**/.rspec", "**/cypress.config.*",
    "**/playwright.config.*",
  },
}

-- Files at the root that an agent would obey; set aside while one runs, unless they are as on the base branch.
prfix.aside {
  name = "agents", why = "hooks, tools and endpoints that an agent reads from the folder it runs in",
  paths = {
    ".claude", ".claude.json", "CLAUDE.local.md", ".mcp.json", ".codex", ".qwen", ".gemini", ".opencode", "opencode.json",
    "opencode.jsonc", ".cursor", ".cursorrules", ".cursorignore", ".windsurf", ".windsurfrules", ".aider.conf.yml",
    ".aiderignore", ".env", ".env.local", ".factory", ".kilocode", ".roo", ".roomodes", ".continue", ".clinerules",
    ".amp", ".goosehints", ".goose", ".copilot", "AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md", "AGENT.md",
  },
}
