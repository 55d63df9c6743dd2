"""Names of servers, which anybody chooses."""

from __future__ import annotations

from pathlib import Path

from calor.cli.cloud import _server
from calor.localcloud.linux.boot_specs import BootSpecs
from calor.localcloud.linux.servers import BootSpec


def test_a_server_with_the_id_of_another_as_its_name_is_not_in_its_way(tmp_path: Path) -> None:
    specs = BootSpecs(tmp_path / "servers")
    for id, name in (("victim", "web"), ("thief", "victim")):
        folder = tmp_path / "servers" / id
        folder.mkdir(parents=True)
        specs.set(BootSpec(id, name, name, folder, (), (), False, folder, None, (), (), 1, 64))
    assert _server(tmp_path, "victim").id == "victim"
    assert _server(tmp_path, "web").id == "victim"
    assert _server(tmp_path, "thief").id == "thief"
