"""Packages of a configuration."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest

from calor_guest.cfn import packages, rpm_versions
from calor_guest.cfn.host import THIS_HOST, Host, Outcome


class Server:
    """A server where nothing is installed."""

    def __init__(self, failing: Collection[str] = (), installed: str = "") -> None:
        self.commands: list[str] = []
        self._failing, self._installed = failing, installed

    def host(self, *programs: str) -> Host:
        return Host(self._run, lambda name: name in programs, self._download)

    def _run(self, command: list[str], env: Any = None) -> Outcome:
        line = " ".join(command)
        self.commands.append(line)
        if "--queryformat" in command:
            return Outcome(0 if self._installed else 1, self._installed)
        if command[:2] == ["rpm", "-q"]:
            return Outcome(1)
        return Outcome(100, "", "E: cannot") if line.startswith(tuple(self._failing)) else Outcome(0)

    def _download(self, url: str, file: Any) -> None:
        self.commands.append(f"download {url}")

    @property
    def changes(self) -> list[str]:
        return [command for command in self.commands if not command.startswith(("rpm -q", "yum -y --show"))]


def test_managers_are_used_in_a_fixed_order() -> None:
    server = Server()
    section = {name: {"x": []} for name in ("zypper", "yum", "apt", "dnf", "rubygems")}
    assert packages.apply(section, server.host("yum")) == []
    assert [line.split()[0] for line in server.commands if " install" in line] == [
        *("apt-get", "yum", "dnf", "gem", "zypper")
    ]


def test_a_missing_manager_is_reported_and_the_others_do_their_work() -> None:
    missing = THIS_HOST._replace(
        run=lambda command, env=None: Outcome(127, "", f"{command[0]} is not installed")
    )
    problems = packages.apply({"yum": {"x": []}, "apt": {"x": []}}, missing)
    assert problems == [
        "packages of apt are not installed: apt-get is not installed",
        "packages of yum are not installed: rpm is not installed",
    ]
    server = Server(failing=["apt-get"])
    problems = packages.apply({"apt": {"a": []}, "yum": {"b": []}}, server.host("yum"))
    assert problems == ["packages of apt are not installed: apt-get failed: E: cannot"]
    assert server.changes[-1] == "yum -y install b"


def test_packages_that_no_repository_has_are_reported_and_others_installed() -> None:
    server = Server(failing=["yum -y --showduplicates list available b"])
    problems = packages.apply({"yum": {"a": [], "b": [], "c": []}}, server.host("yum"))
    assert problems == ["packages of yum are not installed: yum does not have b"]
    assert server.changes == ["yum -y install a c"]


@pytest.mark.parametrize(
    ("installed", "change"),
    [("2.1-1", "yum -y install x-2.2"), ("2.10-1", "yum -y downgrade x-2.2"), ("", "yum -y install x-2.2")],
)
def test_the_newest_of_the_versions_is_installed(installed: str, change: str) -> None:
    server = Server(installed=installed)
    assert packages.apply({"yum": {"x": ["2.0", "2.2"]}}, server.host("yum")) == []
    assert server.changes == [change]


def test_packages_by_url() -> None:
    server = Server()
    section = {"rpm": {"a": "http://h/a.rpm"}, "dpkg": {"b": "http://h/b.deb"}}
    assert packages.apply(section, server.host()) == []
    assert server.changes[0] == "download http://h/b.deb"
    assert server.changes[1].startswith("dpkg -i ")
    assert server.changes[2] == "rpm -U --force http://h/a.rpm"


def test_gems_and_python_packages() -> None:
    server = Server()
    section = {"rubygems": {"a": ["1.0"], "b": []}, "python": {"c": ["2.0"]}}
    assert packages.apply(section, server.host()) == []
    assert server.commands == [
        "python3 -m pip install c==2.0",
        "gem install -b --version 1.0 a",
        "gem install -b b",
    ]


def test_names_are_not_taken_for_options() -> None:
    server = Server()
    problems = packages.apply({"apt": {"-oAPT::Update::Pre-Invoke::=reboot": []}}, server.host())
    assert "is not the name of a package" in problems[0]
    assert server.commands == []


def test_unknown_managers_are_reported() -> None:
    assert packages.apply({"msi": {"x": []}}, Server().host()) == [
        "packages of msi are not installed: this package manager is not supported"
    ]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        *(("1.9", "1.10"), ("1.0", "1.0.1"), ("1.0a", "1.0b"), ("1.0~rc1", "1.0"), ("1.0", "1.0^git1")),
        *(("1.0^git1", "1.0.1"), ("1.0-1", "1.0-2"), ("fc16", "1"), ("2.2-1.fc16", "2.2.22-1.fc16")),
    ],
)
def test_versions_are_compared_as_rpm_does(older: str, newer: str) -> None:
    assert (rpm_versions.compare(older, newer), rpm_versions.compare(newer, older)) == (-1, 1)


def test_equal_versions() -> None:
    assert rpm_versions.compare("1.01", "1.1") == 0
    assert rpm_versions.compare("1.0", "1.0-7") == 0
    assert rpm_versions.newest(["2.0", "2.2.22-1.fc16", "2.2"]) == "2.2.22-1.fc16"
    assert rpm_versions.newest([]) is None
