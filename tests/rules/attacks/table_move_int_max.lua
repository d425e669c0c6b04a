-- expect: table.move over
local t = {} for i = 1, 100 do table.move({}, 1, 2147483646, 1, t) end return "done"
