-- expect: undefined name 'setmetatable'
error(setmetatable({}, { __name = "x", __tostring = function() error("inner") end }))
