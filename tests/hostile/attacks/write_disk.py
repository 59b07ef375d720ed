# attack: overwrites, truncates, renames, links and removes what is not its own
# levels: jail confined
import os

for action in (
    lambda: open("@CANARY@/secret.txt", "w").write("x"),
    lambda: open("@CANARY@/new.txt", "w").write("x"),
    lambda: os.truncate("@CANARY@/secret.txt", 0),
    lambda: os.chmod("@CANARY@/secret.txt", 0),
    lambda: os.chmod("@CANARY@", 0),
    lambda: os.rename("@CANARY@/secret.txt", "@CANARY@/moved.txt"),
    lambda: os.unlink("@CANARY@/secret.txt"),
    lambda: os.symlink("/etc/passwd", "@CANARY@/link"),
    lambda: os.link("@CANARY@/secret.txt", "hard"),
    lambda: os.mkdir("@CANARY@/folder"),
    lambda: os.mkfifo("@CANARY@/fifo"),
    lambda: os.open("@CANARY@/secret.txt", os.O_RDONLY | os.O_TRUNC),
    lambda: open("@SOLUTIONS@/reference.py", "a").write("# was here"),
    lambda: open("@ASSIGNMENT@/checks/test_relu.py", "a").write("# was here"),
    lambda: open("/proc/self/oom_score_adj", "w").write("-1000"),
    lambda: open("/dev/shm/was-here", "w").write("x"),
    lambda: os.setxattr("@CANARY@/secret.txt", "user.was", b"here"),
):
    try:
        action()
    except (OSError, AttributeError):
        pass


def relu(x):
    return x
