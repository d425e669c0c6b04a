-- expect: undefined name 'setmetatable'
local t = setmetatable({}, { __len = function() return 2^31 - 2 end })
table.sort(t, rawequal)
return "sorted"
