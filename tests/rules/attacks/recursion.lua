-- expect: more memory than it may or ran longer than
local function f() return 1 + f() end
return f()
