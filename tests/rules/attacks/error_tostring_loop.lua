-- expect: undefined name 'setmetatable'
error(setmetatable({}, { __tostring = function() while true do end end }))
