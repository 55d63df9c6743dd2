"""What an installation puts beside the programs of other packages."""

from __future__ import annotations

import tomllib
from importlib.metadata import entry_points
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


def test_no_program_has_the_name_of_one_of_the_openstack_clients() -> None:
    """Whichever was installed last would take the place of the other."""
    ours = set(tomllib.loads(PROJECT.read_text())["project"]["scripts"])
    others = {
        one.name
        for one in entry_points(group="console_scripts")
        if one.dist is not None and one.dist.name in ("python-heatclient", "python-openstackclient")
    }
    assert "heat" in others
    assert ours & others == set()
