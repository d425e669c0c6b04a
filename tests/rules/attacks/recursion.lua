-- expect: more memory than it may
local function f() return 1 + f() end
return f()
