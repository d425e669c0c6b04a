-- expect: more memory than it may or ran longer than
local t = {} for i = 1, 10000 do t[i] = "" end
return #table.concat(t, ("x"):rep(1000000))
