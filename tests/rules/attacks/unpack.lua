-- expect: nothing
local ok, e = pcall(function() return select("#", (table.unpack or unpack)({}, 1, 1e7)) end)
local ok2, e2 = pcall(function() return #string.char((table.unpack or unpack)({}, 1, 9e5)) end)
return tostring(ok) .. " " .. tostring(e) .. " / " .. tostring(ok2) .. " " .. tostring(e2)
