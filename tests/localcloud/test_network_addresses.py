"""The arithmetic of addresses."""

from __future__ import annotations

import pytest

from calor.localcloud.network.addresses import (
    automatic_address,
    check_pools,
    default_pools,
    find_free_prefix,
    find_next_free,
    first_address,
    is_usable,
)
from calor.localcloud.problems import Problem


def test_automatic_addresses_are_derived_from_the_mac_address() -> None:
    assert automatic_address("2001:db8::/64", "fa:16:3e:12:34:56") == "2001:db8::f816:3eff:fe12:3456"


@pytest.mark.parametrize(
    ("cidr", "gateway", "pools"),
    [
        ("10.0.0.0/24", "10.0.0.1", [("10.0.0.2", "10.0.0.254")]),
        ("10.0.0.0/24", None, [("10.0.0.1", "10.0.0.254")]),
        ("10.0.0.0/24", "10.0.0.9", [("10.0.0.1", "10.0.0.8"), ("10.0.0.10", "10.0.0.254")]),
        ("10.0.0.0/24", "192.168.0.1", [("10.0.0.1", "10.0.0.254")]),
        ("10.0.0.0/31", None, [("10.0.0.0", "10.0.0.1")]),
        ("2001:db8::/64", "2001:db8::1", [("2001:db8::2", "2001:db8::ffff:ffff:ffff:ffff")]),
    ],
)
def test_default_pools_are_all_usable_addresses_but_the_gateway(
    cidr: str, gateway: str | None, pools: list[tuple[str, str]]
) -> None:
    assert [(pool["start"], pool["end"]) for pool in default_pools(cidr, gateway)] == pools


@pytest.mark.parametrize(
    ("pools", "kind"),
    [
        ([("10.0.0.9", "10.0.0.2")], "InvalidAllocationPool"),
        ([("10.0.0.2", "10.0.1.9")], "OutOfBoundsAllocationPool"),
        ([("10.0.0.2", "10.0.0.9"), ("10.0.0.9", "10.0.0.20")], "OverlappingAllocationPools"),
        ([("10.0.0.1", "10.0.0.9")], "GatewayConflictWithAllocationPools"),
    ],
)
def test_invalid_pools_are_rejected(pools: list[tuple[str, str]], kind: str) -> None:
    with pytest.raises(Problem) as refusal:
        check_pools("10.0.0.0/24", "10.0.0.1", [{"start": start, "end": end} for start, end in pools])
    assert refusal.value.kind == kind


def test_the_first_address_is_the_default_gateway() -> None:
    assert first_address("10.0.0.0/24") == "10.0.0.1"
    assert first_address("2001:db8::/64") == "2001:db8::1"


def test_network_and_broadcast_addresses_are_not_usable() -> None:
    assert is_usable("10.0.0.0/24", "10.0.0.7")
    assert not is_usable("10.0.0.0/24", "10.0.0.0")
    assert not is_usable("10.0.0.0/24", "10.0.0.255")
    assert not is_usable("10.0.0.0/24", "10.0.1.1")
    assert not is_usable("10.0.0.0/24", "2001:db8::1")


def test_the_search_for_free_addresses_starts_after_the_last_one() -> None:
    pools = [(1, 3), (7, 9)]
    assert find_next_free(pools, {1, 2}, after=-1) == 3
    assert find_next_free(pools, {1, 2}, after=3) == 7
    assert find_next_free(pools, {1, 7, 8, 9}, after=9) == 2
    assert find_next_free(pools, {1, 2, 3, 7, 8, 9}, after=2) is None


def test_a_free_prefix_does_not_overlap() -> None:
    assert find_free_prefix(["10.0.0.0/16"], [], 24) == "10.0.0.0/24"
    assert find_free_prefix(["10.0.0.0/16"], ["10.0.0.0/24", "10.0.1.128/25"], 24) == "10.0.2.0/24"
    assert find_free_prefix(["10.0.0.0/24", "10.2.0.0/16"], [], 20) == "10.2.0.0/20"
    assert find_free_prefix(["10.0.0.0/24"], ["10.0.0.0/25"], 24) is None
