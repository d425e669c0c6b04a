-- expect: undefined name 'setmetatable'
setmetatable({}, { __gc = function() error("in gc") end })
for i = 1, 1e6 do local _ = {} end
