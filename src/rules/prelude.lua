-- Narrows the standard library before any rule file runs. Never shown to rules.
local globals, check, check_size, max = ...
local pcall, error, rep, move, sort = pcall, error, string.rep, table.move, table.sort

-- A protected call passes a spent budget on: a script cannot outlive its end.
globals.pcall = function(f, ...)
  return check(pcall(f, ...))
end
-- Message handlers would run inside the failing stack.
globals.xpcall = nil
-- With metatables a script could run code where no limit holds (__gc, __close) or make C loops endless (__len).
globals.setmetatable, globals.getmetatable = nil, nil

table.sort = function(list, before)
  if #list > max / 10 then error("table.sort over " .. max // 10 .. " elements", 2) end
  return sort(list, before)
end
string.rep = function(text, n, separator)
  if n > max then error("string.rep over " .. max .. " times", 2) end
  check_size((#text + #(separator or "")) * n)
  return rep(text, n, separator)
end
table.move = function(from, first, last, ...)
  if last - first > max then error("table.move over " .. max .. " elements", 2) end
  return move(from, first, last, ...)
end
