-- expect: string.rep over
return (""):rep(1e15)
