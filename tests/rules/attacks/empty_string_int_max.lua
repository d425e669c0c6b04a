-- expect: string.rep over
return #(""):rep(2147483647)
