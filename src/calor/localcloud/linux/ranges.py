"""Which addresses a cloud has on its host: chosen once, and kept."""

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
    """The addresses of the host and of the cloud on the cable between them; None where there can be no cable."""
    host_device: str


def kept_ranges(folder: Path, taken: Iterable[str], as_root: bool) -> Ranges:
    """Those chosen earlier, or others that do not overlap with what is taken."""
    file = folder / ("ranges.json" if as_root else "ranges-rootless.json")
    if file.exists():
        stored = json.loads(file.read_text())
        link = stored["host_link"]
        return Ranges(stored["external_cidr"], tuple(link) if link else None, stored["host_device"])
    chosen = choose(str(folder), [IPv4Network(one) for one in taken], as_root)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    file.write_text(json.dumps(asdict(chosen)))
    return chosen


def choose(seed: str, taken: list[IPv4Network], as_root: bool) -> Ranges:
    digest = hashlib.sha256(seed.encode()).digest()
    device = "calor" + digest.hex()[:8]
    if not as_root:
        # Every address of the loopback range is the host's own, so that anybody can listen there.
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
