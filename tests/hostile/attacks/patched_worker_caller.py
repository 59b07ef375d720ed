# attack: the worker answers "as expected" to every call, and calls nothing
# review: yes
import sys

calls = sys.modules["grader_worker.calls"]
messages = sys.modules["grader_worker.messages"]


def answer(self, request):
    facts = [
        messages.ArgumentFacts(False, True, True, None, True, 1, False) for _ in flattened(request.args)
    ]
    return messages.Answer(request.id, request.args[0] if request.args else None, arguments=facts)


def flattened(values):
    for value in values:
        if isinstance(value, messages.TensorValue):
            yield value
        elif isinstance(value, messages.ListValue):
            yield from flattened(value.items)


calls.Caller.call = answer
calls.Caller.backward = lambda self, request: messages.Gradients(
    request.id, [grad for grad in request.grads]
)


def relu(x):
    return x
