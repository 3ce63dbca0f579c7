"""Ears of every kind; whoever is heard got out."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path

TCP_PORT, UDP_PORT = 47001, 47002

ABSTRACT = "\0hostile-abstract"


class Listeners:
    """Sockets as a service of the machine would have them; `heard` grows by one name for each contact."""

    def __init__(self, folder: Path) -> None:
        self.heard: list[str] = []
        stream, datagram, packets = socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET
        self._listen("tcp", socket.AF_INET, stream, ("127.0.0.1", TCP_PORT))
        self._listen("tcp on IPv6", socket.AF_INET6, stream, ("::1", TCP_PORT))
        self._listen("udp", socket.AF_INET, datagram, ("127.0.0.1", UDP_PORT))
        self._listen("unix stream", socket.AF_UNIX, stream, str(folder / "stream"))
        self._listen("unix datagram", socket.AF_UNIX, datagram, str(folder / "datagram"))
        self._listen("unix packets", socket.AF_UNIX, packets, str(folder / "packets"))
        self._listen("unix abstract", socket.AF_UNIX, stream, ABSTRACT)

    def _listen(self, name: str, family: int, kind: int, address: tuple[str, int] | str) -> None:
        ear = socket.socket(family, kind)
        ear.bind(address)
        if kind == socket.SOCK_DGRAM:
            hear: Callable[[], object] = lambda: ear.recvfrom(100)  # noqa: E731
        else:
            ear.listen(16)
            hear = lambda: ear.accept()[0].close()  # noqa: E731
        if isinstance(address, str) and address[0] != "\0":
            os.chmod(address, 0o777)
        threading.Thread(target=self._hear, args=(name, hear), daemon=True).start()

    def _hear(self, name: str, hear: Callable[[], object]) -> None:
        while True:
            hear()
            self.heard.append(name)
