-- expect: undefined name 'setmetatable'
error(setmetatable({}, { __tostring = function() return 42 end }))
