-- expect: drops nothing: table
error({ code = 2, msg = "table error" })
