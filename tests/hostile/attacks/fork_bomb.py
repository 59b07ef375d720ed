# attack: many processes that outlive their parent
# quick: yes
# limits: short
import os
import time


def relu(x):
    for _ in range(40):
        try:
            if os.fork() == 0:
                try:
                    os.setsid()
                except OSError:
                    pass
                time.sleep(300)
                os._exit(0)
        except OSError:
            break
    return x


def logistic(x):
    try:
        if os.fork() == 0:
            return x
    except OSError:
        pass
    time.sleep(10)
