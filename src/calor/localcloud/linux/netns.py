"""Network namespaces, kept alive by descriptors only: nothing remains when the process exits."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from calor.localcloud.linux.netlink import Netlink
from calor.localcloud.linux.syscalls import NEWNET, in_network_namespace, setns, unshare


class NetworkNamespace:
    """A new namespace, with its loopback device up."""

    def __init__(self) -> None:
        home = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        try:
            unshare(NEWNET)
            try:
                self.fd = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
                with Netlink() as netlink:
                    netlink.set_link(netlink.need("lo"))
            finally:
                setns(home, NEWNET)
        finally:
            os.close(home)

    @contextmanager
    def netlink(self) -> Iterator[Netlink]:
        """Enters the namespace for the duration of the context."""
        with in_network_namespace(self.fd), Netlink() as netlink:
            yield netlink

    def set(self, **settings: int | str) -> None:
        """Sets sysctls below /proc/sys/net; `__` stands for a slash."""
        with in_network_namespace(self.fd):
            for name, value in settings.items():
                path = f"/proc/sys/net/{name.replace('__', '/')}"
                if os.path.exists(path):
                    with open(path, "w") as file:
                        file.write(str(value))

    def listen(self, address: str, port: int) -> socket.socket:
        """A listening socket in the namespace."""
        with in_network_namespace(self.fd):
            made = socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind((address, port))
            made.listen(512)
            return made

    def close(self) -> None:
        os.close(self.fd)
