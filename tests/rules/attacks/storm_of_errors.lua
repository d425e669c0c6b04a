-- expect: ran longer than
local function f() local ok = pcall(function() local t = {} for i = 1, 1e9 do t[i % 100] = i end end) return f() end
f()
