-- expect: undefined name 'setmetatable'
setmetatable({}, { __gc = function() while true do end end })
for i = 1, 1e6 do local _ = {} end
