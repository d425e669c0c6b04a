-- expect: undefined name 'setmetatable'
local m = {} local t = setmetatable({}, m)
m.__close = function() while true do end end
for _ in function() return 1 end, nil, nil, t do end
