-- expect: table.sort over
local f = math.ult or rawequal
local t = {} local s = 1 for i = 1, 1500000 do s = (s * 1103515245 + 12345) % 2147483648 t[i] = s end
table.sort(t, f)
return "sorted"
