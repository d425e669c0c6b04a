-- expect: ran longer than
local ok, e = pcall(string.match, ("a"):rep(300000), ("a?"):rep(300000) .. "b")
local ok2, e2 = pcall(string.match, ("("):rep(300000), ("%b()"):rep(1000))
return tostring(ok) .. " " .. tostring(e) .. " / " .. tostring(ok2)
