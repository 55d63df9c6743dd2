"""Which values the custom constraints take."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from calor.types.custom_constraints import FORMATS, SERVICE_CONSTRAINTS, expiration, offline

INDEX = Path(__file__).parents[4] / "shared" / "reference" / "index.md"

ACCEPTED: dict[str, list[Any]] = {
    "ip_addr": ["10.0.0.1", "0.0.0.0", "::", "FE80::A", "::ffff:1.2.3.4", "1:2:3:4:5:6:7::"],
    "net_cidr": ["10.0.0.0/8", "10.0.0.1/32", "::/0", "fe80::1/064", "fe80::/ffc0::", "::/::"],
    "ip_or_cidr": ["10.0.0.1", "10.0.0.0/24", "::1", "::/64"],
    "mac_addr": [
        "00:11:22:33:44:55",
        "0:1:2:3:4:F",
        "00-11-22-33-44-55",
        "0011.2233.4455",
        "0011:2233:4455",
        "001122-334455",
        "001122334455",
        "00112233445",
    ],
    "dns_name": ["", None, "a", "a.b", "a-b.c.", "xn--a", "1.2.3.4", "1.", "a" * 63, "a.1"],
    "rel_dns_name": ["", "a", "a.b", ".".join(["a" * 50] * 4 + ["a" * 48])],
    "dns_domain": ["", "a.", "a.b."],
    "cron_expression": [
        "",
        "* * * * *",
        "*/5 0-6 1,15 jan-MAR fri-mon",
        "@Daily",
        "0 0 * * 7",
        "0 0 l * ?",
        "0 0 15w * *",
        "0 0 * * tue#2",
        "0 0 * * mon-fri#1",
        "0 0 * * l5",
        "10/20 * * * *",
        "r r(0-5) * * *",
        "0 0 * * * 30",
        "0 0 * * * 30 2030-2040",
    ],
    "timezone": ["", "UTC", "Europe/Ljubljana", "Etc/GMT+1"],
    "iso_8601": [
        "2030",
        "2030-1",
        "2030-01-31",
        "20300131",
        "2030-01-31T12",
        "2030-01-31 12:30:15.123456789Z",
        "2030-01-31T1230+0200",
        "2030-01-31T12:30-02",
    ],
    "expiration": ["", None, "2999-01-01", " 2999-01-01T00:00:00Z "],
    "json_string": ["", None, "{}", "[1]", '"a"', "1"],
    "test_constr": [0, 0.5, True],
}

REFUSED: dict[str, list[Any]] = {
    "ip_addr": [
        "",
        None,
        1,
        ["10.0.0.1"],
        "10.0.0.01",
        "10.1",
        "10.0.0.256",
        "10.0.0.1 ",
        "10.0.0.1/32",
        "fe80::1%eth0",
        "1::2::3",
        "١٠.0.0.1",
    ],
    "net_cidr": [
        "",
        None,
        10,
        "10.0.0.0",
        "10/8",
        "10.0/16",
        "10.0.0.0/08",
        "10.0.0.0/33",
        "10.0.0.0/255.0.0.0",
        "10.0.0.0 /8",
        "::",
        "::/129",
        "::/ffc1::",
        "::/64/64",
        "fe80::%eth0/64",
    ],
    "ip_or_cidr": ["", None, 10, "10.0.0.01", "10.0.0.0/33", "10/8", "/"],
    "mac_addr": [
        "",
        None,
        1,
        "00:11:22:33:44",
        "00:11-22:33:44:55",
        "00:11:22:33:44:5g",
        "0011223344",
        "001122.334455",
        "00:11:22:33:44:55 ",
        "00:11:22:33:44:55:66:77",
    ],
    "dns_name": [1, "A", "a..b", ".a", "-a", "a-", "a_b", "é", "a.1.", "a" * 64, ".".join(["a" * 63] * 5)],
    "rel_dns_name": ["a.", "a..b", ".".join(["a" * 50] * 4 + ["a" * 49])],
    "dns_domain": ["a", "a.b", "a.1.", "."],
    "cron_expression": [
        1,
        "* * * *",
        "* * * * * * * *",
        " @daily",
        "@reboot",
        "60 * * * *",
        "0 24 * * *",
        "0 0 0 * *",
        "0 0 * 13 *",
        "0 0 * * 8",
        "0 0 * * 7 0",
        "*/0 * * * *",
        "-5 * * * *",
        "1,,2 * * * *",
        "mon * * * *",
        "? * * * *",
        "0 0 15w,1 * *",
        "0 0 * * tue#6",
        "0 0 * * 1-5#1",
        "0 0 * * 1#1,2",
        "h * * * *",
        "r(5-0) * * * *",
        "0 0 * * * 30 1969",
    ],
    "timezone": [1, "Nowhere/Town", "../UTC", "Europe"],
    "iso_8601": [
        "",
        None,
        2030,
        "203001",
        "2030-13",
        "2030-02-30",
        "2030-01-31t12",
        "2030-01-31T24:00",
        "2030-01-31T12:30:60",
        "2030-01-31T12:30+24:00",
        "2030-01-31Z",
        "next week",
    ],
    "expiration": ["soon", "2000-01-01", 5],
    "json_string": ["{", "{'a': 1}", 5, ["a"], "[" * 100_000],
    "test_constr": ["1", -1, None],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in ACCEPTED.items() for value in values]
)
def test_accepted(name: str, value: Any) -> None:
    assert FORMATS[name](value) is None


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in REFUSED.items() for value in values]
)
def test_refused(name: str, value: Any) -> None:
    assert FORMATS[name](value)


@pytest.mark.parametrize(
    ("value", "good"),
    [
        ("2030-06-01T12:00:01Z", True),
        ("2030-06-01T12:00:00Z", False),
        ("2030-06-01T13:00:00+02:00", False),
        ("2030-06-01T11:00:00-02:00", True),
        ("2030-06-01T12:00:01", True),
    ],
)
def test_expiration_is_in_the_future(value: str, good: bool) -> None:
    assert (expiration(value, now=datetime(2030, 6, 1, 12, tzinfo=UTC)) is None) is good


def test_system_without_time_zones_refuses_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zoneinfo.available_timezones", set)

    assert FORMATS["timezone"]("Nowhere/Town") is None


def test_offline_judges_formats() -> None:
    assert offline("ip_addr", "10.0.0.1") is None
    assert offline("ip_addr", "10.0.0") is not None


def test_offline_takes_every_name_and_id() -> None:
    assert offline("nova.flavor", "small") is None


def test_offline_refuses_unknown_constraints() -> None:
    problem = offline("nova.teapot", "small")

    assert problem is not None
    assert "nova.teapot" in problem


def test_constraint_is_of_one_kind() -> None:
    assert not SERVICE_CONSTRAINTS & FORMATS.keys()


@pytest.mark.skipif(not INDEX.is_file(), reason="the reference is not part of the repository")
def test_all_constraints_are_there() -> None:
    table = INDEX.read_text().partition("## Custom constraints")[2]
    names = {line.split("|")[1].strip() for line in table.splitlines() if line.startswith("|")} - {
        "name",
        "---",
    }

    assert SERVICE_CONSTRAINTS | FORMATS.keys() == names
