"""Figures about a server."""

from __future__ import annotations

from pathlib import Path

from calor_guest.cfn import haproxy, statistics


def test_usage_adds_up() -> None:
    for usage in (statistics.memory(), statistics.swap(), statistics.disk("/")):
        assert 0 <= usage.used <= usage.total
        assert 0 <= usage.percent <= 100
    assert statistics.memory().used + statistics.memory().available > 0


def test_percent_is_of_what_can_be_used() -> None:
    assert statistics.Usage(100, 30, 60).percent == 33.3
    assert statistics.Usage(0, 0, 0).percent == 0.0


def test_waiting_for_disks_is_not_being_busy() -> None:
    before = statistics.cpu_times("cpu  100 0 100 700 100 0 0 0 0 0\ncpu0 1 2 3 4\n")
    after = statistics.cpu_times("cpu  130 0 120 740 110 0 0 0 0 0\n")
    assert statistics.busy_percent(before, after) == 50.0
    assert statistics.busy_percent(after, after) == 0.0


def test_cpu_use_is_measured_over_the_given_time() -> None:
    pauses: list[float] = []
    assert 0 <= statistics.cpu_percent(1.0, pauses.append) <= 100
    assert pauses == [1.0]


TABLE = Path(__file__).with_name("haproxy.csv").read_text()


def test_figures_of_haproxy() -> None:
    assert haproxy.figures(TABLE) == {
        "RequestCount": ("25", "Counter"),
        "HTTPCode_ELB_4XX": ("2", "Counter"),
        "HTTPCode_ELB_5XX": ("1", "Counter"),
        "HTTPCode_Backend_2XX": ("20", "Counter"),
        "HTTPCode_Backend_3XX": ("3", "Counter"),
        "HTTPCode_Backend_4XX": ("2", "Counter"),
        "HTTPCode_Backend_5XX": ("0", "Counter"),
        "HealthyHostCount": ("1", "Counter"),
        "UnHealthyHostCount": ("1", "Counter"),
        "Latency": ("0.012", "Seconds"),
    }
    assert haproxy.figures(TABLE, latency_only=True) == {"Latency": ("0.012", "Seconds")}
