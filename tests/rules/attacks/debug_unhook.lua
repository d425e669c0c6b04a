-- expect: undefined name 'debug'
debug.sethook()
while true do end
