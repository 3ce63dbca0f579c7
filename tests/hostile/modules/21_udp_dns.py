"""Sends a packet and asks for a name.  Harm: a listener hears it."""

import socket

from kit import Harmless, attack

HARM = ("network",)


def packet():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        return sender.sendto(b"secret", ("127.0.0.1", 47002))


attack("udp", packet)
attack("dns", lambda: socket.getaddrinfo("secret.example.com", 80))


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
