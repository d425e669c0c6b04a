-- expect: ran longer than
while true do pcall(function() local s = "x" while true do s = s .. s end end) end
