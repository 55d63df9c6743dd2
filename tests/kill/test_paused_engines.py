"""Two engines share a database. One of them, or both, are stopped by a signal for a while and go on again, as on a
machine that is paused. The cloud holds exactly what the stacks say: what an engine was about to do when it was stopped,
it does not do when another one has its stack.

CALOR_PAUSES, CALOR_PAUSE_SECONDS and CALOR_PAUSE_SEED say how often, how long at most, and what the random choices
begin with.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from tests.kill.cloud_lab import CloudLab
from tests.kill.cloud_parts import MEMBERS, NET, Part
from tests.kill.cloud_plans import CloudLife, CloudOperation
from tests.kill.cloud_rounds import CloudRounds
from tests.support.processes import Fleet

PAUSES = int(os.environ.get("CALOR_PAUSES", "3"))
LONGEST = float(os.environ.get("CALOR_PAUSE_SECONDS", "8"))
SEED = int(os.environ.get("CALOR_PAUSE_SEED", "1"))
SHORTEST = 1.0
LATEST = 1.5
"""Seconds after which an engine is stopped, at the latest."""
CROWD = 60
"""Networks that are asked for at once."""
SETTLING = 30.0
"""Seconds within which an engine has removed what it made too late."""
ENGINES = ("engine-1", "engine-2")

pytestmark = pytest.mark.skipif(not os.path.exists("/proc/self/comm"), reason="finds processes in /proc")


class PausedLab(CloudLab):
    """A laboratory with two engines."""

    def _started(self) -> Fleet:
        fleet = Fleet(self.folder, **self._environment)
        fleet.start("cloud")
        for name in ENGINES:
            fleet.start("engine", called=name)
        fleet.start("api")
        return fleet

    def pause(self, engine: str, seconds: float) -> None:
        process = self.server.running[engine]
        process.send_signal(signal.SIGSTOP)
        try:
            time.sleep(seconds)
        finally:
            process.send_signal(signal.SIGCONT)

    def check_engines(self) -> None:
        for engine in ENGINES:
            assert self.server.running[engine].poll() is None, self.server.log(engine)

    def count(self, words: str) -> int:
        """How often the engines have said something."""
        return sum(self.server.log(engine).count(words) for engine in ENGINES)


class Crowd(CloudLife):
    """A stack of many networks, which come and go."""

    def next(self) -> CloudOperation:
        if self.present is not None:
            return self.end()
        members = {"count": CROWD, "resource_def": {"type": NET, "properties": {}}}
        return CloudOperation("create", self._wish({"crowd": Part(MEMBERS, members)}))


@dataclass(frozen=True)
class Pauses:
    """Which engines are stopped, when and for how long."""

    each: tuple[tuple[str, float, float], ...]
    methods: tuple[str, ...] = ()

    @classmethod
    def chosen(cls, random: Random) -> Pauses:
        engines = random.sample(ENGINES, k=random.choice([1, 1, 1, 2]))
        return cls(
            tuple((one, random.random() * LATEST, random.uniform(SHORTEST, LONGEST)) for one in engines)
        )

    def happen(self, lab: PausedLab) -> None:
        def pause(engine: str, moment: float, seconds: float) -> None:
            time.sleep(moment)
            lab.pause(engine, seconds)

        with ThreadPoolExecutor(len(self.each)) as pool:
            for done in [pool.submit(pause, *one) for one in self.each]:
                done.result()

    def __str__(self) -> str:
        return ", ".join(f"{name} stopped at {at:.2f} s for {long:.1f} s" for name, at, long in self.each)


@pytest.fixture
def lab(tmp_path: Path, database_url: str) -> Iterator[PausedLab]:
    # SQLite is where the parts look for it by themselves.
    sqlite = database_url.startswith("sqlite")
    made = PausedLab(tmp_path, **({} if sqlite else {"OS_DATABASE__CONNECTION": database_url}))
    yield made
    made.close()


def test_the_cloud_has_what_the_stacks_contain_when_engines_are_paused(lab: PausedLab) -> None:
    random = Random(SEED)
    rounds = CloudRounds(lab, random, Crowd("crowd", random), settling=SETTLING)
    pauses = 0
    try:
        while pauses < PAUSES:
            began = time.monotonic()
            happening = Pauses.chosen(random)
            rounds.play(happening)
            lab.check_engines()
            pauses += len(happening.each)
            print(f"{pauses} {time.monotonic() - began:.1f} s; {rounds.journal[-1]}", flush=True)
        rounds.clear()
    except Exception as error:
        journal = "\n".join(f"{number}: {line}" for number, line in enumerate(rounds.journal))
        raise AssertionError(
            f"{error}\n{journal}\n"
            f"again: CALOR_PAUSE_SEED={SEED} CALOR_PAUSES={PAUSES} CALOR_PAUSE_SECONDS={LONGEST:g} "
            f"pytest {Path(__file__).name}\nwhat is left: {lab.folder}"
        ) from error
    left, late = lab.count("is left to another engine"), lab.count("belonged to no resource")
    print(f"{pauses} pauses; {left} runs were left to others, {late} objects were made too late and removed")
