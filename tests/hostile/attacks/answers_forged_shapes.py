# attack: answers whose shape, dtype and bytes contradict one another
# review: yes
import sys

messages = sys.modules["grader_worker.messages"]
calls = sys.modules["grader_worker.calls"]
FORGED = [
    messages.TensorValue("float32", (-1, -20), b"\0" * 80),
    messages.TensorValue("float32", (0, 2**62, 2**62), b""),
    messages.TensorValue("float32", (2**63,), b""),
    messages.TensorValue("float32", (1,) * 64, b"\0" * 4, requires_grad=True),
    messages.TensorValue("object", (1,), b"\0" * 8),
    messages.TensorValue("int64", (5, 4), b"\0" * 160, requires_grad=True, is_leaf=False),
    messages.TensorValue("complex128", (5, 4), b"\0" * 320, requires_grad=True),
    messages.ArrayValue("float64", (0, 2**63), b""),
    messages.DictValue([(messages.ListValue([]), None)] * 10),
    messages.HandleValue(2**60, "torch.nn.Module"),
]
count = 0


def answer(self, request):
    global count
    count += 1
    facts = [messages.ArgumentFacts(False, True, True)] * (count % 6)
    return messages.Answer(request.id, FORGED[count % len(FORGED)], arguments=facts)


def backward(self, request):
    return messages.Gradients(request.id, [FORGED[i % 7] for i in range(count)])


calls.Caller.call = answer
calls.Caller.backward = backward


def relu(x):
    return x
