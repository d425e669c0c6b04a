prfix.api = 1
-- What follows a push, and what must not be pushed.

-- Reviewers that look again only when they are asked. `x` has `reviewers` (logins that reviewed before), `head`, `number`.
local ASK_AGAIN = {
  ["copilot-pull-request-reviewer"] = {},
  cursor = { comment = "bugbot run" },
  ["chatgpt-codex-connector"] = { comment = "@codex review" },
  ["gemini-code-assist"] = { comment = "/gemini review" },
}

prfix.retrigger {
  name = "review-bots", why = "these look again only when asked",
  reviewers = function(x)
    local out = {}
    for _, login in ipairs(x.reviewers or {}) do
      local again = ASK_AGAIN[login:lower()]
      if again then out[#out + 1] = { login = login, comment = again.comment } end
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
