-- expect: undefined name 'getmetatable'
local m = getmetatable("")
if type(m) ~= "table" then return "string metatable hidden: " .. tostring(m) end
m.__index = function(s, k) return function() return "EVIL" end end
return "polluted: " .. ("x"):upper()
