# attack: catches every exception, the one that says time is up too
# quick: yes
# limits: short
def relu(x):
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue


def logistic(x):
    try:
        while True:
            pass
    finally:
        return x
