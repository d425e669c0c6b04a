-- expect: table.sort over
local t = {} for i = 1, 1e6 do t[i] = i % 7 end
table.sort(t, rawequal)
return "sorted"
