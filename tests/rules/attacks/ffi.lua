-- expect: undefined name 'require'
require("ffi")
