prfix.api = 1
-- Who may steer a run. Levels: "all" (everything they write counts), "reviews" (review threads and review bodies
-- only), "none". The first answer decides; without one the author has no say. Rules are never asked about a deleted
-- account. Trust chooses whose feedback counts; it never widens what a run may do.

local TRUSTED = { OWNER = true, MEMBER = true, COLLABORATOR = true }

prfix.trust {
  name = "bots", why = "an app that the repository's owners installed: its reviews and threads count", order = 100,
  level = function(author)
    if author.bot then return "reviews" end
  end,
}

prfix.trust {
  name = "pr-author", why = "the author of the pull request", order = 200,
  level = function(author, pr)
    if pr.author and author.login:lower() == pr.author:lower() then return "all" end
  end,
}

prfix.trust {
  name = "association", why = "an owner, member or collaborator", order = 300,
  level = function(author)
    if TRUSTED[author.association] then return "all" end
  end,
}

prfix.trust {
  name = "outsider", why = "neither an owner, member or collaborator, nor the author of the pull request", order = 900,
  level = function() return "none" end,
}
