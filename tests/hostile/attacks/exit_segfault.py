# attack: reads address 0
# quick: yes
# review: yes
import ctypes


def relu(x):
    ctypes.string_at(0)


def logistic(x):
    import faulthandler

    faulthandler._sigsegv()
