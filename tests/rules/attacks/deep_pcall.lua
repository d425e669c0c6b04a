-- expect: ran longer than
local function f() while true do pcall(f) pcall(f) end end
f()
