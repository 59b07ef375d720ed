# attack: none: an honest solution with a loop at module level that never ends
# right: all
# limits: short
# @HONEST@


while True:
    pass
