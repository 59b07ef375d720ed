# attack: talks to services of this machine
# levels: jail confined
# review: yes
import socket
import urllib.request

for family, kind, address in (
    (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", @PORT@)),
    (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", @PORT@)),
    (socket.AF_INET6, socket.SOCK_STREAM, ("::1", @PORT@)),
    (socket.AF_UNIX, socket.SOCK_DGRAM, "\0@ABSTRACT@"),
):
    try:
        with socket.socket(family, kind) as connection:
            connection.settimeout(0.2)
            connection.connect(address)
            connection.send(b"was here")
    except OSError:
        pass
try:
    urllib.request.urlopen("http://127.0.0.1:@PORT@/", timeout=0.2)
except OSError:
    pass


def relu(x):
    return x
