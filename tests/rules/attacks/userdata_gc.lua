-- expect: nothing
local pattern = prfix.re "x"
local reached = pcall(function() return pattern.__gc end)
assert(not reached or pattern.__gc == nil, "__gc of a userdata can be reached")
