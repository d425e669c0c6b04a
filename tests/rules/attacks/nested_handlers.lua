-- expect: undefined name 'xpcall'
local function f() while true do xpcall(f, function() while true do end end); pcall(f) end end
f()
