"""Chooses the backend: the Linux backend if possible."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

from calor.localcloud.backend import Backend
from calor.localcloud.config import HostService
from calor.localcloud.simulated import Simulated

BACKENDS = ("auto", "linux", "simulated")

log = logging.getLogger("calor.localcloud")


class BackendUnavailable(Exception):
    """The requested backend is not available on this machine."""


def choose_backend(name: str, folder: Path, host_services: tuple[HostService, ...] = ()) -> Backend:
    """The backend with this name, or the best one for `auto`. `host_services` are accessible for servers.
    Only for a process that may fork. Raises BackendUnavailable."""
    if name == "simulated":
        return Simulated()
    reasons = check_backend(name, folder)
    if not reasons:
        from calor.localcloud.linux.backend import Linux

        return Linux(linux_folder(folder), host_services)
    log.info("Servers are simulated (see `calor cloud probe`): %s", "; ".join(reasons))
    return Simulated()


def check_backend(name: str, folder: Path) -> tuple[str, ...]:
    """Why servers cannot run here. Raises BackendUnavailable if the Linux backend is required. Does not probe for
    the simulated backend."""
    reasons = () if name == "simulated" else _why_not_linux(folder)
    if reasons and name == "linux":
        raise BackendUnavailable(f"servers cannot run on this machine: {'; '.join(reasons)}")
    return reasons


def _why_not_linux(folder: Path) -> tuple[str, ...]:
    if sys.platform != "linux":
        return (f"this is {sys.platform}, not Linux",)
    from calor.localcloud.linux.probe import probe

    return probe(linux_folder(folder)).reasons


def linux_folder(folder: Path) -> Path:
    """The folder of the Linux backend, within that of the cloud."""
    return folder / "linux"
