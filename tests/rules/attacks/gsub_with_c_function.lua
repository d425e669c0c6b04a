-- expect: ran longer than
-- All the work is inside one library call with a C callback: hardly an instruction of Lua runs.
local s = ("x"):rep(1000000)
for i = 1, 1000 do s:gsub(".", tostring) end
