-- expect: nothing
local d = 0
local function f() d = d + 1 return (("x"):gsub("x", f)) end
local ok, e = pcall(f)
return tostring(ok) .. " depth " .. d .. " " .. tostring(e)
