-- expect: drops nothing: nil
error(nil)
