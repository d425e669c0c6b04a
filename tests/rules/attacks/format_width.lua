-- expect: nothing
local ok, e = pcall(string.format, "%99999d", 1)
local ok2, e2 = pcall(string.format, "%99.99f", 1e308)
return tostring(ok) .. " " .. tostring(e) .. " / " .. tostring(ok2) .. " len " .. #tostring(e2)
