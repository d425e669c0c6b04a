prfix.api = 1
-- What can be said of an item before an agent looks. The hints here never take work away by themselves: they set the
-- risk, or say that a person has to decide. Fields: verdict, risk, priority, merge, needs_human, why.

-- Only plain statements that someone else decides first.
local DECISION = prfix.re [=[(?i)(?:\b(?:let'?s|we (?:should|need to|have to|must)) (?:first )?(?:decide|discuss|agree|talk)\b[^.!?\n]{0,80}\b(?:before|first)\b|\bbefore (?:you|we|anyone) (?:change|touch|do|merge|implement)s? (?:anything|this|it)\b|\b(?:don'?t|do not|please don'?t) (?:change|touch|fix|do) (?:anything|this) (?:yet|until|before)\b|\bneeds? (?:a |product |design |legal |security )?(?:decision|sign-?off)\b[^?\n]{0,40}$)]=]
local GRAVE = prfix.re [=[(?i)\b(xss|csrf|sql injection|command injection|rce|remote code|auth(?:entication|orization)? bypass|secret|credential|private key|race condition|data loss|data corruption|deadlock|use[- ]after[- ]free|buffer overflow|ssrf|path traversal|privilege|double[- ]spend|security)\b]=]
local SMALL = prfix.re [=[(?i)(?:^\s*(?:\*\*)?(?:nit|nitpick|minor|typo|style|cosmetic|trivial)\b|\b(?:typo|spelling|misspell(?:ed|ing)?|s/[\w -]+/[\w -]+/?)\b)]=]

prfix.triage {
  name = "decision", why = "the comment asks for a decision before any change",
  judge = function(c)
    if not c.author.bot and DECISION:test(prfix.prose(c.body)) then return { needs_human = true } end
  end,
}

prfix.triage {
  name = "grave", why = "security or data is at stake",
  judge = function(c)
    local word = GRAVE:match(c.body)
    if word then return { risk = "high", why = "mentions " .. word:lower() } end
  end,
}

prfix.triage {
  name = "small", why = "marked as small by its author",
  judge = function(c)
    if #c.body < 300 and SMALL:test(c.body) then return { risk = "low" } end
  end,
}
