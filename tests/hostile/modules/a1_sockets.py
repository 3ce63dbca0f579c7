"""Reaches for every kind of listener and family of sockets.  Harm: a listener hears it."""

import socket

from kit import HOST, Harmless, attack, system_call

HARM = ("network",)
BRIEF = True


def connect(family, kind, address):
    with socket.socket(family, kind) as caller:
        caller.settimeout(1)
        return caller.connect(address)


def fast_open():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as caller:
        return caller.sendto(b"secret", 0x20000000, ("127.0.0.1", 47001))


def datagram():
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as caller:
        return caller.sendto(b"secret", f"{HOST}/sockets/datagram")


attack("tcp", lambda: connect(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 47001)))
attack("tcp6", lambda: connect(socket.AF_INET6, socket.SOCK_STREAM, ("::1", 47001)))
attack("fast open", fast_open)
attack("mptcp", lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262).connect(("127.0.0.1", 47001)))
attack("stream", lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, f"{HOST}/sockets/stream"))
attack("packets", lambda: connect(socket.AF_UNIX, socket.SOCK_SEQPACKET, f"{HOST}/sockets/packets"))
attack("abstract", lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, "\0hostile-abstract"))
attack("datagram", datagram)
attack("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0))
attack("packet", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attack("vsock", lambda: connect(socket.AF_VSOCK, socket.SOCK_STREAM, (2, 1024)))
attack("alg", lambda: socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET))
attack("pair", socket.socketpair)
attack("listen", lambda: socket.create_server(("127.0.0.1", 0)))
attack("32-bit call", lambda: system_call(0x40000000 | 41, 2, 1, 0))


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
