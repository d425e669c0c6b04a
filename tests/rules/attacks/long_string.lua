-- expect: string.rep over
local s = ("x"):rep(1e9) return #s
