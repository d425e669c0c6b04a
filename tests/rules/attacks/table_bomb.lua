-- expect: more memory than it may or ran longer than
local t = {} for i = 1, 1e9 do t[i] = { i } end
