"""The embedded identity service, served from a thread for all tests of this folder."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest
import uvicorn

from calor.clouds.sessions import Cloud, ServiceAccount, access_of
from calor.localcloud.app import cloud_app
from calor.localcloud.config import AnnouncedService, CloudConfig
from calor.localcloud.identity import hashing
from calor.localcloud.server import initialize
from calor.localcloud.store import Store


@dataclass(frozen=True)
class Running:
    url: str
    passwords: dict[str, str]

    @property
    def account(self) -> ServiceAccount:
        return ServiceAccount(f"{self.url}/identity", "heat", self.passwords["heat"], region="RegionOne")


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with socket.socket() as listening, pytest.MonkeyPatch.context() as patch:
        # Nobody attacks these passwords.
        patch.setattr(hashing, "_COST", (2, 8, 1))
        listening.bind(("127.0.0.1", 0))
        database = tmp_path_factory.mktemp("cloud") / "cloud.db"
        announced = (AnnouncedService("orchestration", "heat", "http://127.0.0.1:8004/v1/%(project_id)s"),)
        config = CloudConfig("127.0.0.1", listening.getsockname()[1], database, announced)
        passwords = dict(initialize(config).passwords)
        store = Store(database)
        app = cloud_app(store, config.folder)
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on", ws="none"))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        yield Running(config.url, passwords)
        server.should_exit = True
        thread.join()
        store.close()


@pytest.fixture(scope="session")
def cloud(running: Running) -> Cloud:
    return Cloud(running.account)


@pytest.fixture(scope="session")
def account_of(running: Running) -> Callable[[str], Cloud]:
    """The cloud as others see it whose name and project are alike: admin and demo."""

    def account(name: str) -> Cloud:
        return Cloud(replace(running.account, username=name, password=running.passwords[name], project=name))

    return account


@pytest.fixture
def token(account_of: Callable[[str], Cloud]) -> str:
    """A token of demo, who is a member of the project demo."""
    return str(access_of(account_of("demo").service).auth_token)
