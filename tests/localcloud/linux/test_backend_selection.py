"""What machinery is taken, and which addresses it has on the host."""

from __future__ import annotations

from ipaddress import IPv4Network
from pathlib import Path

import pytest

from calor.localcloud import backend_selection
from calor.localcloud.backend_selection import BackendUnavailable, choose_backend
from calor.localcloud.linux.ranges import choose_ranges, load_ranges


def test_servers_are_simulated_where_they_cannot_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(backend_selection, "_why_not_linux", lambda folder: ("networks: not allowed",))
    assert choose_backend("auto", tmp_path).name == "simulated"


def test_an_unavailable_backend_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(backend_selection, "_why_not_linux", lambda folder: ("networks: not allowed",))
    with pytest.raises(BackendUnavailable, match="networks: not allowed"):
        choose_backend("linux", tmp_path)


def test_the_simulated_backend_needs_no_probe(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(backend_selection, "_why_not_linux", lambda folder: pytest.fail("it was tried"))
    assert choose_backend("simulated", tmp_path).name == "simulated"


@pytest.mark.usefixtures("_possible")
def test_the_linux_backend_is_used_if_possible(tmp_path: Path) -> None:
    assert choose_backend("auto", tmp_path).name == "linux"


def test_ranges_do_not_overlap_with_those_of_the_host() -> None:
    first = choose_ranges("seed", [], as_root=True)
    other = choose_ranges("seed", [IPv4Network(first.external_cidr)], as_root=True)
    assert first.external_cidr != other.external_cidr
    assert IPv4Network(other.external_cidr).subnet_of(IPv4Network("172.24.0.0/16"))


def test_ranges_are_stored(tmp_path: Path) -> None:
    first = load_ranges(tmp_path, [], as_root=True)
    assert load_ranges(tmp_path, [first.external_cidr], as_root=True) == first


def test_without_root_floating_addresses_are_loopback_addresses() -> None:
    ranges = choose_ranges("seed", [], as_root=False)
    assert IPv4Network(ranges.external_cidr).is_loopback
    assert ranges.host_link is None
