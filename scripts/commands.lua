prfix.api = 1
