-- expect: undefined name 'setmetatable'
local t = {} for i = 1, 100000 do t = setmetatable({}, { __index = t }) end
local ok, e = pcall(function() return t.x end)
return tostring(ok) .. " " .. tostring(e)
