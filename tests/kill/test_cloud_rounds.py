"""Stacks of servers, networks and volumes are created, changed and deleted while their server is killed, as a whole or
in parts, and while the cloud fails. In the end the cloud holds exactly what the stacks say.

CALOR_ROUNDS and CALOR_ROUNDS_SEED say how often, and what the random choices begin with.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
from cloud_laboratory import CloudLab
from cloud_plans import CloudLife, CloudOperation
from rounds import Round
from served import Refused, until

ROUNDS = int(os.environ.get("CALOR_ROUNDS", "12"))
SEED = int(os.environ.get("CALOR_ROUNDS_SEED", "1"))
LIVES = 3
PATIENCE = 300.0
"""Seconds for a round: a cloud that fails is asked again for a while."""
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

pytestmark = pytest.mark.skipif(not os.path.exists("/proc/self/comm"), reason="finds processes in /proc")


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


class CloudRounds:
    def __init__(self, lab: CloudLab, random: Random) -> None:
        self.lab = lab
        self.random = random
        self.lives = [CloudLife(f"s{index}", Random(random.random())) for index in range(LIVES)]
        self.journal: list[str] = []
        self._round = Round(lab, {})
        self._beside = ThreadPoolExecutor(1)

    def play(self, mischief: Mischief) -> None:
        """A round: something is asked for, something happens, and all comes to its end."""
        lives = self.random.sample(self.lives, k=self.random.choice([1, 1, 2]))
        operations = {life.name: life.next() for life in lives}
        told = ", ".join(f"{name}: {one.kind}" for name, one in operations.items())
        self.journal.append(f"{told}; {mischief}")
        self.lab.log_in()
        asking = self._beside.submit(self._ask, operations, bool(mischief.methods))
        mischief.happen(self.lab)
        asking.result()
        for life in lives:
            self._end(life, operations[life.name], bool(mischief.methods))
        self.journal[-1] += f"; {self.lab.switch_all_off()} requests hit"
        self._check()

    def _ask(self, operations: dict[str, CloudOperation], may_fail: bool) -> None:
        for name, operation in operations.items():
            try:
                self._round.begin(name, operation)
            except Refused:
                # What cannot be checked is not begun.
                if not may_fail:
                    raise
                self.journal[-1] += f"; {name} refused"
                self.lab.switch_all_off()
                self._round.begin(name, operation)

    def _end(self, life: CloudLife, operation: CloudOperation, may_fail: bool) -> None:
        """Waits for the end of an operation. One that failed is followed by one that heals."""
        state = self._state(life, operation)
        if may_fail and state.endswith("FAILED"):
            self.lab.switch_all_off()
            operation = life.healing(operation.wish)
            self.journal[-1] += f"; {life.name} {state}, {operation.kind}"
            self._round.begin(life.name, operation)
            state = self._state(life, operation)
        if may_fail and operation.rolls_back and state == "ROLLBACK_COMPLETE":
            life.present = life.rolled_back()
        else:
            kind = operation.kind.partition(" ")[0].upper()
            reason = (self.lab.stack(life.name) or {}).get("stack_status_reason")
            assert state == f"{kind}_COMPLETE", f"{life.name} is {state}: {reason}"
            life.present = operation.wish
        self.lab.check_events(life.name, self._round.ids[life.name], state)

    def _state(self, life: CloudLife, operation: CloudOperation) -> str:
        what = f"the end of {operation.kind} of {life.name}"
        return str(until(lambda: self._round.ended(life.name), what, PATIENCE))

    def _check(self) -> None:
        ids = self._round.ids
        self.lab.check_cloud(
            [
                claim
                for life in self.lives
                if life.present is not None
                for claim in self.lab.claims(life.name, ids[life.name], life.present)
            ]
        )

    def clear(self) -> None:
        """All stacks are deleted; nothing is left."""
        for life in self.lives:
            if life.present is not None:
                self._round.begin(life.name, life.end())
                self._end(life, life.end(), may_fail=False)
        self.lab.check_cloud([])


def test_the_cloud_holds_what_the_stacks_say_whatever_happens(lab: CloudLab) -> None:
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
