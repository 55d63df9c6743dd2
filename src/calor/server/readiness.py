"""Tells that a process does its work from now on: people by the log, systemd by its socket."""

from __future__ import annotations

import contextlib
import logging
import os
import socket

log = logging.getLogger("calor")


def say_ready(text: str) -> None:
    log.info(text)
    notify()


def notify() -> None:
    """Tells systemd, if it has started this."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    if address.startswith("@"):
        # Linux's names without a file.
        address = "\0" + address[1:]
    # Whoever listens may be gone by now.
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notifying, contextlib.suppress(OSError):
        notifying.sendto(b"READY=1", address)
