-- expect: nothing
string.upper = function() return "EVIL" end
table.concat = nil
math.max = function() return "EVIL" end
rawset(prfix, "noise", function() end)
assert(("x"):upper() == "X", "the methods of strings can be changed")
