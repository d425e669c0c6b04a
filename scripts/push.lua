prfix.api = 1
-- What follows a push, and what must not be pushed.

-- Reviewers that look again only when they are asked. Those that cost their owner something are asked only when the
-- operator names them, by name or login; `on` says that having reviewed before is enough.
local ASK_AGAIN = {
  { name = "bugbot", login = "cursor", comment = "bugbot run", check = "bugbot" },
  { name = "codex", login = "chatgpt-codex-connector", comment = "@codex review" },
  { name = "copilot", login = "copilot-pull-request-reviewer", on = true },
  { name = "gemini", login = "gemini-code-assist", comment = "/gemini review" },
}

local function set(list)
  local out = {}
  for _, word in ipairs(list or {}) do out[word:lower()] = true end
  return out
end

prfix.retrigger {
  name = "review-bots", why = "these look again only when asked",
  reviewers = function(x)
    local reviewed, wanted, out = set(x.reviewers), set(x.wanted), {}
    for _, bot in ipairs(ASK_AGAIN) do
      local named = wanted[bot.name] or wanted[bot.login]
      wanted[bot.name], wanted[bot.login] = nil, nil
      if named or bot.on and reviewed[bot.login] then
        out[#out + 1] = { name = bot.name, login = bot.login, comment = bot.comment, check = bot.check }
      end
    end
    for _, login in ipairs(x.wanted or {}) do
      if wanted[login:lower()] then out[#out + 1] = { login = login } end
    end
    return out
  end,
}

prfix.guard {
  name = "history", why = "a run adds commits; it never rewrites or deletes what others may have built upon",
  allow = function(x)
    -- Their own branches are the operator's business.
    if not x.managed then return end
    for _, ref in ipairs(x.refs or {}) do
      if ref.force then return "the push would rewrite " .. tostring(ref.remote_ref) end
      if ref.delete then return "the push would delete " .. tostring(ref.remote_ref) end
    end
  end,
}
