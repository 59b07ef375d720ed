# attack: as many statements as fit that each end the process
# limits: short
# review: yes
import os
os._exit(0)
os._exit(1)
os._exit(2)
os._exit(3)
os._exit(4)
os._exit(5)


def relu(x):
    return x
