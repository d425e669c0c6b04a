-- expect: nothing
assert(string.dump == nil, "string.dump is there")
assert(not pcall(function() return load end), "load is there")
