"""Which machinery a cloud runs on: the real one wherever it can be had."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

from calor.localcloud.machinery import Machinery
from calor.localcloud.simulated import Simulated

BACKENDS = ("auto", "linux", "simulated")

log = logging.getLogger("calor.localcloud")


class BackendUnavailable(Exception):
    """The one that was asked for cannot be had here."""


def chosen(name: str, folder: Path, doors: tuple[tuple[str, int], ...] = ()) -> Machinery:
    """The machinery of that name, or the best that there is for `auto`. `doors` are addresses of the host that
    servers reach as well. Only for a process that may fork. Raises BackendUnavailable."""
    if name == "simulated":
        return Simulated()
    reasons = check(name, folder)
    if not reasons:
        from calor.localcloud.linux.backend import Linux

        return Linux(linux_folder(folder), doors)
    log.info("Servers are simulated (`calor cloud probe` says more): %s", "; ".join(reasons))
    return Simulated()


def check(name: str, folder: Path) -> tuple[str, ...]:
    """Why servers cannot run here; raises BackendUnavailable where they have to. Nothing is tried where they need
    not."""
    reasons = () if name == "simulated" else _why_not_linux(folder)
    if reasons and name == "linux":
        raise BackendUnavailable(f"servers cannot run on this machine: {'; '.join(reasons)}")
    return reasons


def _why_not_linux(folder: Path) -> tuple[str, ...]:
    if sys.platform != "linux":
        return (f"this is {sys.platform}, and not Linux",)
    from calor.localcloud.linux.probe import probe

    return probe(linux_folder(folder)).reasons


def linux_folder(folder: Path) -> Path:
    """Where the real machinery keeps its things, within the folder of the cloud."""
    return folder / "linux"
