-- expect: undefined name 'setmetatable'
local m = {} local t = setmetatable({}, m)
m.__close = function() while true do end end
do local x <close> = t while true do end end
