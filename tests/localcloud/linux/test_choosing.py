"""What machinery is taken, and which addresses it has on the host."""

from __future__ import annotations

from ipaddress import IPv4Network
from pathlib import Path

import pytest

from calor.localcloud import backends
from calor.localcloud.backends import BackendUnavailable, chosen
from calor.localcloud.linux.ranges import choose, kept_ranges


def test_servers_are_simulated_where_they_cannot_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(backends, "_why_not_linux", lambda folder: ("networks: not allowed",))
    assert chosen("auto", tmp_path).name == "simulated"


def test_what_was_asked_for_is_refused_where_it_cannot_be_had(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(backends, "_why_not_linux", lambda folder: ("networks: not allowed",))
    with pytest.raises(BackendUnavailable, match="networks: not allowed"):
        chosen("linux", tmp_path)


def test_nothing_is_tried_where_simulation_is_wanted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(backends, "_why_not_linux", lambda folder: pytest.fail("it was tried"))
    assert chosen("simulated", tmp_path).name == "simulated"


@pytest.mark.usefixtures("_possible")
def test_the_real_machinery_is_taken_where_servers_can_run(tmp_path: Path) -> None:
    assert chosen("auto", tmp_path).name == "linux"


def test_a_range_that_the_host_has_already_is_not_taken() -> None:
    first = choose("seed", [], as_root=True)
    other = choose("seed", [IPv4Network(first.external_cidr)], as_root=True)
    assert first.external_cidr != other.external_cidr
    assert IPv4Network(other.external_cidr).subnet_of(IPv4Network("172.24.0.0/16"))


def test_ranges_are_kept_whatever_the_host_has_later(tmp_path: Path) -> None:
    first = kept_ranges(tmp_path, [], as_root=True)
    assert kept_ranges(tmp_path, [first.external_cidr], as_root=True) == first


def test_without_root_floating_addresses_are_the_hosts_own() -> None:
    ranges = choose("seed", [], as_root=False)
    assert IPv4Network(ranges.external_cidr).is_loopback
    assert ranges.host_link is None
