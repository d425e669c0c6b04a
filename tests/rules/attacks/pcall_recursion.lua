-- expect: nothing
local d = 0
local function f() d = d + 1 return pcall(f) end
local ok, e = f()
return tostring(ok) .. " depth " .. d .. " " .. tostring(e)
