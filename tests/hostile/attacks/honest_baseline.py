# attack: none: the honest baseline with which the others are compared
# right: all
# quick: yes
# @HONEST@
