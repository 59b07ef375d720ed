# attack: the built-ins as methods, in place on a copy
# bug: relu: built-in-used
# bug: logistic: built-in-used
def relu(x):
    return x.clone().relu_()


def logistic(x):
    return x.clone().sigmoid_()
