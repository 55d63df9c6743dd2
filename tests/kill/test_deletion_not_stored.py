"""A deletion whose end could not be stored before the engine was killed is completed by the next engine."""

from __future__ import annotations

import signal
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.orchestrator import Orchestrator
from tests.support.processes import Fleet
from tests.support.server import until

pytestmark = pytest.mark.extended

NETWORK = {"net": {"type": "OS::Neutron::Net"}}
TIME_TO_GO_ON = 1.0
"""Seconds that the engine gets for doing too much, once the network is deleted."""


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    made = Fleet(tmp_path)
    for name in ("cloud", "engine", "api"):
        made.start(name)
    yield made
    made.stop()


def test_the_owner_s_trust_exists_until_the_deletion_of_the_resources_is_stored(fleet: Fleet) -> None:
    admin = Orchestrator(fleet, "calor-admin")
    path = admin.create("s", NETWORK)
    network = admin.id_of(path, "net")
    database = sqlite3.connect(fleet.state_dir / "calor.db", isolation_level=None, timeout=30)
    with admin.fault(method="DELETE", path="/network/.*", delay=1.5):
        assert admin.api.delete(path).status_code == 204
        until(lambda: admin.resource(path, "net")["resource_status"] == "DELETE_IN_PROGRESS")
        database.execute("BEGIN IMMEDIATE")
        until(lambda: admin.shown("network", f"/v2.0/networks/{network}") is None)
    time.sleep(TIME_TO_GO_ON)
    fleet.tell("engine", signal.SIGKILL)
    database.execute("ROLLBACK")
    database.close()

    fleet.start("engine")
    admin.wait(path, "DELETE_COMPLETE")
    assert admin.ask("identity", "GET", "/OS-TRUST/trusts").json()["trusts"] == []
