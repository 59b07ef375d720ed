# attack: asks for names, listens, and uses raw sockets
# levels: jail confined
# review: yes
import socket

for action in (
    lambda: socket.getaddrinfo("example.org", 80),
    lambda: socket.gethostbyname("localhost"),
    lambda: socket.create_server(("127.0.0.1", 0)),
    lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
    lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0),
    lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0),
):
    try:
        action()
    except OSError:
        continue


def relu(x):
    return x
