-- expect: ran longer than
return string.find(("a"):rep(40000), (".-"):rep(20) .. "b")
