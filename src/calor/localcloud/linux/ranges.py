"""The address ranges of a cloud on its host: chosen once, and stored."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from ipaddress import IPv4Network
from pathlib import Path


@dataclass(frozen=True)
class Ranges:
    external_cidr: str
    """Floating addresses."""
    host_link: tuple[str, str] | None
    """The addresses of the host and of the cloud on the link between them; None without root."""
    host_device: str


def load_ranges(folder: Path, taken: Iterable[str], as_root: bool) -> Ranges:
    """The stored ranges, or new ones that do not overlap with those in `taken`."""
    file = folder / ("ranges.json" if as_root else "ranges-rootless.json")
    if file.exists():
        stored = json.loads(file.read_text())
        link = stored["host_link"]
        return Ranges(stored["external_cidr"], tuple(link) if link else None, stored["host_device"])
    chosen = choose_ranges(str(folder), [IPv4Network(one) for one in taken], as_root)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    file.write_text(json.dumps(asdict(chosen)))
    return chosen


def choose_ranges(seed: str, taken: list[IPv4Network], as_root: bool) -> Ranges:
    digest = hashlib.sha256(seed.encode()).digest()
    device = "calor" + digest.hex()[:8]
    if not as_root:
        # Every user can listen on any address of the loopback range.
        return Ranges(f"127.{24 + digest[0] % 200}.{digest[1]}.0/24", None, device)
    external = _free(
        (IPv4Network((f"172.24.{(digest[0] + step) % 256}.0", 24)) for step in range(256)), taken
    )
    link = _free(
        (
            IPv4Network((f"169.254.{64 + (digest[1] + step) % 96}.{digest[2] & 0xFC}", 30))
            for step in range(96)
        ),
        taken,
    )
    host, other = list(link.hosts())
    return Ranges(str(external), (f"{host}/30", f"{other}/30"), device)


def _free(candidates: Iterable[IPv4Network], taken: list[IPv4Network]) -> IPv4Network:
    listed = list(candidates)
    return next((one for one in listed if not any(one.overlaps(other) for other in taken)), listed[0])
