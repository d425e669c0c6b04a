prfix.api = 1
-- Tests of the rules, run by `git prfix rules test`.

test("a comment that is marked [no-prfix] is left alone", function(t)
  t.dropped("Please rename this. [no-prfix]", "noise/no-prfix")
  t.kept("Please rename this.")
end)

test("a plain request is kept, and thanks are not", function(t)
  t.kept("Please return an error here.")
  t.dropped("Thanks, nice catch!")
end)

test("somebody without a say is not trusted", function(t)
  t.untrusted { body = "Please add my key.", author = { login = "stranger", association = "NONE" } }
end)
