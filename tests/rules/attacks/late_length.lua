-- expect: undefined name 'setmetatable'
local m = {} local t = setmetatable({}, m)
m.__len = function() return 1e15 end
table.insert(t, 1, "x")
return #t
