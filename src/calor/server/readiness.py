"""Reports that a process is ready: in the log, and to systemd."""

from __future__ import annotations

import contextlib
import logging
import os
import socket

log = logging.getLogger("calor")


def report_ready(text: str) -> None:
    log.info(text)
    notify()


def notify() -> None:
    """Notifies systemd, if it started this process."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    if address.startswith("@"):
        # A socket in Linux's abstract namespace.
        address = "\0" + address[1:]
    # The receiver may have exited.
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notifying, contextlib.suppress(OSError):
        notifying.sendto(b"READY=1", address)
