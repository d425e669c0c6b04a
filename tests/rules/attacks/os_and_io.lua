-- expect: nothing
local open = {}
for name, get in pairs {
  os = function() return os end, io = function() return io end, load = function() return load end,
  require = function() return require end, package = function() return package end, dofile = function() return dofile end,
  debug = function() return debug end, coroutine = function() return coroutine end, print = function() return print end,
} do
  if pcall(get) then open[#open + 1] = name end
end
assert(#open == 0, "reachable: " .. table.concat(open, ", "))
