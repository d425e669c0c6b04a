prfix.api = 1
-- Comments that ask for nothing. A rule answers with a reason (or true) to drop, false to keep for sure, nil for no
-- opinion; without an opinion a comment is kept. To lose a request is worse than to read a pleasantry twice: whatever
-- is not recognised as a whole is kept.

local prose = prfix.prose

-- What is settled already ------------------------------------------------------------------------------------------

prfix.noise {
  name = "own", why = "an answer that git-prfix wrote itself", order = 10,
  drop = function(c)
    if c.own and c.body:find("<!-- git-prfix", 1, true) then return true end
  end,
}

prfix.noise {
  name = "minimized", why = "hidden on GitHub", order = 20,
  drop = function(c)
    if c.minimized then return "hidden as " .. c.minimized:lower():gsub("_", "-") end
  end,
}

prfix.noise {
  name = "resolved", why = "the thread is resolved", order = 30,
  drop = function(c)
    if c.resolved then return true end
  end,
}

local PICTURES = prfix.re [=[(?i)^(?:\s*\[?!\[[^\]]*\]\((?:https?://(?:img\.shields\.io|[^)\s]*(?:badge|giphy|tenor|media\.tenor|gifer|imgflip|codecov\.io))[^)]*|[^)\s]*\.gif[^)]*)\)(?:\]\([^)]*\))?\s*)+$]=]

prfix.noise {
  name = "empty", why = "nothing but white space, hidden text, badges or quotes", order = 40,
  drop = function(c)
    if not c.body:find("%S") or PICTURES:test(c.body) then return true end
    if c.body:find("```", 1, true) or c.body:find("~~~", 1, true) or c.body:find("![", 1, true) or c.body:find("<img", 1, true) then return end
    if prose(c.body) == "" then return true end
  end,
}

prfix.noise {
  name = "suggestion", why = "a suggestion block is a request", order = 50,
  drop = function(c)
    if c.suggestion and not (c.author.bot and c.kind == "comment") then return false end
  end,
}

-- Automation ---------------------------------------------------------------------------------------------------------

prfix.noise {
  name = "bots", why = "automation in the conversation; a rule may keep a bot that gives its reviews there", order = 100,
  drop = function(c)
    if c.author.bot and c.kind == "comment" then return "automation by " .. c.author.login end
  end,
}

-- Robots that post as ordinary users.
local ROBOTS = {}
for name in ([[
  claassistant cla-assistant googlebot google-cla k8s-ci-robot openshift-ci-robot openshift-merge-robot openshift-bot
  rustbot rust-highfive rust-log-analyzer rust-timer bors bors-servo homu coveralls codecov-io codecov-commenter
  coveralls-bot greenkeeperio-bot mergify allcontributors facebook-github-bot facebook-github-tools pytorchmergebot
  pytorch-bot pytorch-probot jenkins-bot hadoop-yetus asfgit sonarcloud sonatype-lift houndci-bot hound
  ampproject-owners-bot istio-testing knative-prow-robot tekton-robot prow-robot ti-chi-bot kubevirt-bot metal3-io-bot
  linux-foundation-easycla thelinuxfoundation dotnet-bot dotnet-policy-service msftbot ghost-bot travis-ci
  nixpkgs-bot ofborg r-ryantm swift-ci angular-robot netlify vercel now-bot tensorflow-copybara copybara-service
  gitguardian svc-docs apache-bot cypress-bot stale-bot danger-bot mention-bot lgtm-com lgtm-bot pep8speaks
  deepcode-bot snyk-bot whitesource-bolt cockroach-teamcity blathers-crl ci-bot release-bot boring-cyborg
]]):gmatch("%S+") do ROBOTS[name] = true end

prfix.noise {
  name = "robots", why = "an automation account", order = 110,
  drop = function(c)
    local login = c.author.login:lower()
    if c.kind == "comment" and (ROBOTS[login] or login:find("%[bot%]$")) then return "automation by " .. c.author.login end
  end,
}

-- Reports of tools, whoever's token they were posted with.
local REPORT = prfix.re [=[(?im)^(?:\s|<!--[^>]*-->|[#*>|_ ]|\p{Emoji_Presentation})*(?:codecov report|coverage report|code coverage(?: report| summary)?|coverage (?:increased|decreased|remained)|test coverage report|deploy(?:ment)? preview (?:for|ready)|visit the preview url|the latest updates on your projects|preview deployment|bundle size report|size[- ]limit report|size change|lighthouse (?:report|results)|quality gate (?:passed|failed)|sonarqube|changeset detected|no changeset|dependency review|this stack of pull requests is managed by \W*graphite|this pull request is (?:part of a stack|being automatically)|current dependencies on/for this pr|merge activity|how to use the graphite merge queue|\[approvalnotifier\]|this pull request has been automatically marked as stale|this (?:pr|pull request|issue) (?:is stale|has been automatically)|thank you for your submission! we (?:really )?appreciate it|cla assistant|all contributors have signed|\d+ out of \d+ committers have signed|recent coverage|benchmark (?:results|report)|terraform plan (?:output|result)|plan: \d+ to add|snyk checks? (?:have|has)|socket (?:security|report)|test results|unit test results|jest coverage|percy|chromatic|storybook (?:preview|published)|docker image (?:built|published|pushed)|build (?:succeeded|successful)|pr preview|ready to preview|performance (?:report|comparison)|reviewer'?s guide|summary by (?:sourcery|coderabbit)|walkthrough)]=]
local MARKER = prfix.re [=[<!-- ?(?:sticky pull request comment|this is an auto-generated comment|codecov|vercel|netlify|lighthouse|size-?limit|changeset|dependabot|renovate|sonar|cla-?assistant|stale|graphite|linear|bundle-?stats|jest coverage|coverage)]=]

prfix.noise {
  name = "reports", why = "a tool's report, posted with somebody's account", order = 120,
  drop = function(c)
    if c.kind ~= "comment" or c.path then return end
    if MARKER:test(c.body:sub(1, 400):lower()) or REPORT:test(c.body:sub(1, 300)) then
      -- People write headings too: a report has a table, a picture, a link or a list of details.
      if c.body:find("|", 1, true) or c.body:find("](", 1, true) or c.body:find("<details", 1, true) or c.body:find("http", 1, true) or c.body:find("<!--", 1, true) then
        return true
      end
      if #c.body < 200 then return true end
    end
  end,
}

-- Review bots: findings are kept, their covers and their small talk are not ------------------------------------------

local OUTSIDE = prfix.re [=[(?i)(?:outside (?:of )?the diff|outside diff range|nitpick comments|duplicate comments|suppressed (?:comments|due)|low confidence|high[- ]level feedback|overall comments|p[0-3] badge|!\[(?:critical|high|medium|low)\]|severity)]=]
local COVER = prfix.re [=[(?i)(?:actionable comments posted: \d|pull request overview|copilot reviewed \d+ out of|copilot (?:wasn't|was not|encountered)|bugbot (?:has )?reviewed your changes|here are some automated review suggestions|codex review: didn'?t find|didn'?t find any (?:major )?issues|no issues? (?:were )?(?:found|detected|identified)|found no (?:new )?issues|\b(?:0|no) (?:new )?(?:comments|issues|findings|problems)\b|files? reviewed, \d+ comments?|review (?:skipped|failed|paused|in progress|limit)|rate limit exceeded|reached your (?:codex|review|usage|daily)|unable to review|auto(?:matic)? reviews? (?:are|is) (?:disabled|paused)|and they look (?:great|good)|looks good to me|sets up github code scanning|no (?:further|other|additional|specific|new) (?:feedback|remarks|suggestions|concerns|review comments)|summary of changes|automatically approved|approved by policy)]=]

prfix.noise {
  name = "bot-covers", why = "the cover of a bot's review; its findings stand in threads", order = 200,
  drop = function(c)
    if not c.author.bot or c.kind ~= "review" then return end
    if OUTSIDE:test(c.body) then
      local none = c.body:find("posted: 0", 1, true) and not c.body:lower():find("outside diff range", 1, true) and not c.body:lower():find("nitpick comments", 1, true) and not c.body:lower():find("duplicate comments", 1, true)
      return none and true or nil
    end
    if COVER:test(c.body) then return true end
  end,
}

local POLITE = prfix.re [=[(?i)^\W*(?:@[\w-]+\W+)*(?:thanks|thank you|understood|got it|confirmed|verified|acknowledged|makes sense|that makes sense|you'?re (?:absolutely |completely |totally )?(?:right|correct|welcome)|great|perfect|nice|looks good|lgtm|agreed|fair (?:point|enough)|good (?:catch|point|call|to know)|sounds good|glad|happy to|my apologies|apologies|i apologi[sz]e|sorry|noted|appreciate|excellent|awesome|addressed in|fixed in|resolved in|✅ addressed|i(?:'ve| have) (?:resolved|withdrawn|noted|updated)|withdrawing|closing this|no further (?:action|concerns))]=]
local INSISTS = prfix.re [=[(?i)(?:\b(?:however|but|still|should|please|could you|can you|consider|recommend|suggest(?:ion)?:|instead|need(?:s|ed)? to|must|missing|remaining|potential issue|not (?:yet|fully|addressed|fixed|resolved)|one (?:more|remaining)|another)\b|\?\s|\?$|```(?:diff|suggestion))]=]

prfix.noise {
  name = "bot-thanks", why = "a bot's thanks is no new work", order = 210,
  drop = function(c)
    if c.author.bot and c.kind ~= "comment" and POLITE:test(c.body) and not INSISTS:test(prose(c.body)) then return true end
  end,
}
