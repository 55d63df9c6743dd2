"""Rounds in which stacks of servers, networks and volumes are changed, and something happens meanwhile."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Protocol

from tests.kill.cloud_lab import CloudLab
from tests.kill.cloud_plans import CloudLife, CloudOperation
from tests.kill.killable_server import Refused, until
from tests.kill.rounds import Round

LIVES = 3
PATIENCE = 300.0
"""Seconds for a round: a cloud that fails is asked again for a while."""


class Happening(Protocol):
    """What happens in a round."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The requests that fail; none if nothing does."""

    def happen(self, lab: CloudLab) -> None: ...


class CloudRounds:
    def __init__(self, lab: CloudLab, random: Random, *others: CloudLife, settling: float = 0.0) -> None:
        """`others` are lives of another kind, of which each has a part in every round. What an engine that was stopped
        has made too late may stay for `settling` seconds."""
        self.lab = lab
        self.random = random
        self.others = others
        self.lives = [CloudLife(f"s{index}", Random(random.random())) for index in range(LIVES)]
        self._settling = settling
        self.journal: list[str] = []
        self._round = Round(lab, {})
        self._beside = ThreadPoolExecutor(1)

    def play(self, mischief: Happening) -> None:
        """A round: something is asked for, something happens, and all comes to its end."""
        lives = [*self.others, *self.random.sample(self.lives, k=self.random.choice([1, 1, 2]))]
        operations = {life.name: life.next() for life in lives}
        reported = ", ".join(f"{name}: {one.kind}" for name, one in operations.items())
        self.journal.append(f"{reported}; {mischief}")
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
        claims = [
            claim
            for life in (*self.others, *self.lives)
            if life.present is not None
            for claim in self.lab.claims(life.name, ids[life.name], life.present)
        ]
        end = time.monotonic() + self._settling
        while True:
            try:
                return self.lab.check_cloud(claims)
            except AssertionError:
                if time.monotonic() >= end:
                    raise
            time.sleep(0.5)

    def clear(self) -> None:
        """All stacks are deleted; nothing is left."""
        for life in (*self.others, *self.lives):
            if life.present is not None:
                self._round.begin(life.name, life.end())
                self._end(life, life.end(), may_fail=False)
        self.lab.check_cloud([])
