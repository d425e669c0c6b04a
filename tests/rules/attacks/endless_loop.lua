-- expect: ran longer than
while true do end
