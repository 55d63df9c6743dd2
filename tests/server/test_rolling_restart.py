"""Two engines and two APIs share a database. Each is stopped and started again while stacks are made and changed:
every stack ends where its template says, no request fails, each effect happens once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Event

import httpx2 as httpx
import pytest

from tests.kill.killable_server import until
from tests.kill.lab import Lab
from tests.kill.plans import Life
from tests.kill.rounds import Round, check_end
from tests.support.processes import Fleet
from tests.support.server import free_port

pytestmark = [
    pytest.mark.extended,
    pytest.mark.skipif(sys.platform != "linux", reason="elsewhere, waiting connections are reset"),
]

LIVES = 3
TURNS = 2
VISITORS = 2


class Hall(Lab):
    """A laboratory with two APIs: who is refused at one asks the other."""

    parts = ("engine-1", "engine-2", "api-1", "api-2")

    def _started(self) -> Fleet:
        fleet = Fleet(self.folder, **self._environment)
        self.ports = {"api-1": fleet.port, "api-2": free_port()}
        self.failures: list[str] = []
        for name in ("cloud", *self.parts):
            self._start(fleet, name)
        return fleet

    def _start(self, fleet: Fleet, name: str) -> None:
        at = ("--port", str(self.ports[name])) if name in self.ports else ()
        fleet.start(name.partition("-")[0], *at, called=name)

    def restart(self, name: str) -> None:
        assert self.server.tell(name) == 0, self.server.log(name)
        self._start(self.server, name)

    def _answer(self, method: str, path: str, body: dict | None = None) -> httpx.Response | None:
        for port in self.ports.values():
            base = self._base.replace(f":{self.server.port}/", f":{port}/")
            try:
                answer = self._http.request(method, base + path, json=body, follow_redirects=True)
            except httpx.ConnectError:
                continue
            except httpx.HTTPError as error:
                self.failures.append(f"{method} {path} at {port}: {error!r}")
                return None
            if answer.status_code >= 500:
                self.failures.append(f"{method} {path} at {port}: {answer.status_code} {answer.text}")
            return answer
        self.failures.append(f"{method} {path}: nobody answers")
        return None


@pytest.fixture
def hall(tmp_path: Path, database_url: str) -> Iterator[Hall]:
    # SQLite is where the parts look for it by themselves.
    made = Hall(tmp_path, None if database_url.startswith("sqlite") else database_url)
    yield made
    made.close()


@contextmanager
def visitors(hall: Hall) -> Iterator[None]:
    """Others who ask all the time."""
    leaving = Event()

    def visit() -> None:
        while not leaving.is_set():
            answer = hall.ask("GET", "/stacks")
            assert answer.status_code == 200, answer.text

    with ThreadPoolExecutor(VISITORS) as pool:
        visits = [pool.submit(visit) for _ in range(VISITORS)]
        try:
            yield
        finally:
            leaving.set()
    for one in visits:
        one.result()


def test_stacks_live_through_a_rolling_restart(hall: Hall) -> None:
    random = Random(1)
    lives = [Life(f"s{index}", Random(random.random())) for index in range(LIVES)]
    round = Round(hall, {})
    with visitors(hall), ThreadPoolExecutor(1) as beside:
        for part in hall.parts * TURNS:
            operations = {life.name: life.next() for life in lives}
            before = hall.service.journal.stat().st_size
            asking = beside.submit(round.begin_all, operations)
            until(lambda before=before: hall.service.journal.stat().st_size > before, "work to begin")
            hall.restart(part)
            asking.result()
            check_end(round, lives, operations)

    assert hall.failures == []
    assert "Traceback" not in "".join(hall.server.log(part) for part in hall.parts)
