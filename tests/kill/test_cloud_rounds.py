"""Stacks of servers, networks and volumes are created, changed and deleted while their server is killed, as a whole or
in parts, and while the cloud fails. In the end the cloud holds exactly what the stacks say.

CALOR_ROUNDS and CALOR_ROUNDS_SEED say how often, and what the random choices begin with.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.kill.cloud_lab import CloudLab
from tests.kill.cloud_rounds import CloudRounds

ROUNDS = int(os.environ.get("CALOR_ROUNDS", "12"))
SEED = int(os.environ.get("CALOR_ROUNDS_SEED", "1"))
LATEST = 1.8
"""Seconds after which something happens, at the latest."""
KILLED = {"everything": 3, "stopped": 1, "engine": 4, "api": 1, "cloud": 3}
"""What is killed, and how often. `stopped`: all is told to end, and started again."""
FAILURES: tuple[dict[str, Any], ...] = (
    {"status": 500},
    {"status": 500, "carried_out": True},
    {"status": 503},
    {"status": 429},
    {"status": 409, "message": "It is busy."},
    {"status": 403, "message": "Quota exceeded."},
    {"drop": True},
    {"drop": True, "carried_out": True},
    {"delay": 2.0},
)

pytestmark = [
    pytest.mark.extended,
    pytest.mark.skipif(not os.path.exists("/proc/self/comm"), reason="finds processes in /proc"),
]


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[CloudLab]:
    made = CloudLab(tmp_path)
    yield made
    made.close()


@dataclass(frozen=True)
class Mischief:
    """What happens while stacks are worked on, and when."""

    victim: str | None
    moment: float
    failure: dict[str, Any]
    methods: tuple[str, ...]
    """The requests that fail; none if nothing does."""

    @classmethod
    def chosen(cls, random: Random) -> Mischief:
        [victim] = random.choices(list(KILLED), list(KILLED.values()))
        [services] = random.choices(
            ["(compute|network|volume)", "compute", "network", "volume"], [4, 1, 1, 1]
        )
        failure = {
            "path": f"/{services}/.*",
            "skip": random.choice([0, 0, 1, 2, 4]),
            "times": random.randint(1, 5),
            **random.choice(FAILURES),
        }
        methods = random.sample(["POST", "PUT", "DELETE", "GET"], k=random.randint(1, 4))
        kills, fails = random.random() < 0.45, random.random() < 0.5
        if fails and "delay" in failure:
            # Nobody learns of what a request makes that is carried out after whoever asked has been followed by
            # another, who found nothing.
            kills = False
        return cls(
            victim if kills else None, random.random() * LATEST, failure, tuple(methods) if fails else ()
        )

    def happen(self, lab: CloudLab) -> None:
        for method in self.methods:
            lab.switch_on({"method": method, **self.failure})
        if self.victim is not None:
            time.sleep(self.moment)
            lab.raise_again(self.victim, lab.fell(self.victim))

    def __str__(self) -> str:
        killed = f"{self.victim} killed at {self.moment:.2f} s" if self.victim else "nothing killed"
        return f"{killed}, {f'{self.methods} {self.failure}' if self.methods else 'no fault'}"


def test_the_cloud_has_what_the_stacks_contain_whatever_happens(lab: CloudLab) -> None:
    random = Random(SEED)
    rounds = CloudRounds(lab, random)
    try:
        for number in range(ROUNDS):
            began = time.monotonic()
            rounds.play(Mischief.chosen(random))
            print(f"{number} {time.monotonic() - began:.1f} s; {rounds.journal[-1]}", flush=True)
        rounds.clear()
    except Exception as error:
        journal = "\n".join(f"{number}: {line}" for number, line in enumerate(rounds.journal))
        raise AssertionError(
            f"{error}\n{journal}\n"
            f"again: CALOR_ROUNDS_SEED={SEED} CALOR_ROUNDS={ROUNDS} pytest {Path(__file__).name}\n"
            f"what is left: {lab.folder}"
        ) from error
