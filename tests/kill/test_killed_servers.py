"""A server is killed at any moment, as a whole or in parts. Every stack ends where it was to go; each effect
happens once; nothing stays behind.

CALOR_KILLS and CALOR_KILL_SEED say how often, and what the random choices begin with.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest

from calor.store.leases import LEASE_SECONDS
from tests.kill.killable_server import until
from tests.kill.lab import Lab
from tests.kill.plans import Life
from tests.kill.rounds import Round, check_end

KILLS = int(os.environ.get("CALOR_KILLS", "30"))
SEED = int(os.environ.get("CALOR_KILL_SEED", "1"))
LIVES = 3
REHEARSALS = 3
"""Rounds without a kill, to see how long one takes here."""
VICTIMS = {"everything": 3, "stopped": 1, "engine": 4, "api": 1, "cloud": 1}
"""What is killed, and how often. `stopped`: all is told to end, and started again."""
RESUME_SECONDS = 5.0
SHARED_RESUME_SECONDS = RESUME_SECONDS + LEASE_SECONDS
"""Where others may work on the same database, their leases have to run out."""

pytestmark = [
    pytest.mark.extended,
    pytest.mark.skipif(not os.path.exists("/proc/self/comm"), reason="finds processes in /proc"),
]


@pytest.fixture
def lab(tmp_path: Path, database_url: str) -> Iterator[Lab]:
    # SQLite is where the server looks for it by itself.
    made = Lab(tmp_path, None if database_url.startswith("sqlite") else database_url)
    yield made
    made.close()


def resumption(round: Round[Lab], asking: Future[None], size: int) -> float | None:
    """How long it takes until the journal grows beyond a size; None if there is nothing left to do."""
    began = time.monotonic()
    journal = round.lab.service.journal

    def grown() -> bool:
        return journal.stat().st_size > size

    def over() -> bool:
        return asking.done() and all(round.ended(name) for name in round.ids)

    until(lambda: grown() or over(), "work to go on")
    return time.monotonic() - began if grown() else None


def test_stacks_survive_kills_of_their_server(lab: Lab, database_url: str) -> None:
    shared = not database_url.startswith("sqlite")
    kills = KILLS // 5 if shared else KILLS
    allowed = SHARED_RESUME_SECONDS if shared else RESUME_SECONDS
    random = Random(SEED)
    lives = [Life(f"s{index}", Random(random.random())) for index in range(LIVES)]
    round = Round(lab, {})
    rehearsals: list[float] = []
    resumptions: list[float] = []
    beside = ThreadPoolExecutor(1)
    for number in range(-REHEARSALS, kills):
        operations = {life.name: life.next() for life in lives}
        (victim,) = random.choices(list(VICTIMS), list(VICTIMS.values()))
        moment = random.random()
        reported = ", ".join(f"{name}: {operation.kind}" for name, operation in operations.items())
        when = "nothing was killed"
        began = time.monotonic()
        try:
            asking = beside.submit(round.begin_all, operations)
            resumed = None
            if number >= 0:
                when = f"killed {victim} at {moment:.3f} of {max(rehearsals):.2f} s"
                time.sleep(moment * max(rehearsals))
                size = lab.kill(victim)
                resumed = resumption(round, asking, size)
                assert resumed is None or resumed <= allowed, f"work went on after {resumed:.1f} s"
            asking.result()
            check_end(round, lives, operations)
        except AssertionError as error:
            raise AssertionError(
                f"{error}\nround {number}: {reported}; {when}\n"
                f"again: CALOR_KILL_SEED={SEED} CALOR_KILLS={KILLS} pytest {Path(__file__).name}\n"
                f"what is left: {lab.folder}"
            ) from error
        if number < 0:
            rehearsals.append(time.monotonic() - began)
        elif resumed is not None:
            resumptions.append(resumed)
        print(f"{number} {victim} {moment:.2f} {time.monotonic() - began:.2f} s; {reported}")
    slowest = max(resumptions, default=0.0)
    print(f"{kills} kills; {len(resumptions)} left work, which went on after {slowest:.2f} s at most")
