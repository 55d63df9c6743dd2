"""The package manager of servers, which have no package archive."""

from __future__ import annotations

import pytest

from tests.support.linux import Machine


@pytest.mark.parametrize("image", ["debian-12", "cirros"])
def test_the_package_manager_shows_what_a_server_has(machine: Machine, image: str) -> None:
    machine.boot("one", image_name=image)
    machine.finished("one")
    here = machine.out("one", "DEBIAN_FRONTEND=noninteractive apt-get -o X=y install -y -qq curl ping=1.2")
    assert here == "curl is already installed\nping is already installed\n"
    missing = machine.run("one", "apt install -y curl not-there nor-this")
    assert missing.returncode == 100
    assert "Cannot install not-there nor-this: this server has no package archive" in missing.stderr
    update = machine.run("one", "apt-get update")
    assert update.returncode == 100
    assert "no package archive" in update.stderr
