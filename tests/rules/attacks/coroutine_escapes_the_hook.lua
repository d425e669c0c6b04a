-- expect: undefined name 'coroutine'
local ok, e = coroutine.wrap(function() while true do end end)()
