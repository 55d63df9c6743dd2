"""Runs a server under mixed load for a long time: nothing may fail, grow, or remain after its retention period.

python benchmarks/soak.py

MINUTES (60), CLIENTS (20), SEED and PORT are read from the environment. Figures are printed every minute, or ten times
in a shorter run; the exit code is 0 on success.
"""

from __future__ import annotations

import os
import random
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from server import Server, pss
from soak_client import Journey, Tally

KEPT_SECONDS = 60.0
CLEANING_SECONDS = 20.0
SLACK_SECONDS = 60.0
"""How much longer than configured old rows may exist: the cleaner runs at intervals."""
LARGEST_GROWTH = 0.04
"""The allowed growth of memory from the end of the warm-up to the end, by linear regression."""
SAMPLES = 12
"""Samples per interval, of which the median counts: hashing a password takes 16 MB for a moment, which is not
growth."""
MORE_DESCRIPTORS = 6
RENEWAL_SECONDS = 600.0
LINES_OF_AN_ERROR = 40
TABLES = ("stack", "resource", "event", "content", "credentials")

CONFIG = f"""
[DEFAULT]
periodic_interval = {CLEANING_SECONDS:.0f}
log_file = {{log}}
[calor]
event_days = {KEPT_SECONDS / 86_400}
deleted_stack_days = {KEPT_SECONDS / 86_400}
access_log = false
"""


@dataclass(frozen=True, slots=True)
class Sample:
    """The resources that a server uses."""

    at: float
    memory: dict[str, float]
    descriptors: int

    @property
    def total(self) -> float:
        return sum(self.memory.values())


def sample(server: Server, at: float) -> Sample:
    memory: dict[str, float] = {}
    descriptors = 0
    for pid, name in server.processes().items():
        memory[name] = memory.get(name, 0.0) + pss(pid, "Pss_Anon")
        descriptors += len(os.listdir(f"/proc/{pid}/fd"))
    return Sample(at, memory, descriptors)


def median(samples: Sequence[Sample]) -> Sample:
    """The median of samples."""
    return Sample(
        samples[-1].at,
        {
            name: statistics.median(one.memory.get(name, 0.0) for one in samples)
            for name in samples[-1].memory
        },
        max(one.descriptors for one in samples),
    )


def rows(database: Path) -> dict[str, int]:
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        return {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in TABLES}


def leftovers(database: Path) -> Iterator[str]:
    """Rows that should have been deleted."""
    oldest = time.time() - KEPT_SECONDS - CLEANING_SECONDS - SLACK_SECONDS
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        for what, query in (
            ("events that are too old", f"SELECT count(*) FROM event WHERE at < {oldest}"),
            ("stacks deleted too long ago", f"SELECT count(*) FROM stack WHERE deleted_at < {oldest}"),
            ("stacks that are not deleted", "SELECT count(*) FROM stack WHERE deleted_at IS NULL"),
            ("leases", "SELECT count(*) FROM lease"),
            ("signals", "SELECT count(*) FROM inbox"),
            ("credentials", "SELECT count(*) FROM credentials"),
            ("resources", "SELECT count(*) FROM resource"),
        ):
            number = connection.execute(query).fetchone()[0]
            if number:
                yield f"{number} {what} are left"


def errors(lines: Sequence[str]) -> Iterator[str]:
    """The errors in a log, each with the lines that follow it, such as the traceback."""
    for number, line in enumerate(lines):
        if " ERROR " in line:
            yield "\n    ".join(lines[number : number + LINES_OF_AN_ERROR])


def growths(samples: Sequence[Sample], minutes: float) -> Iterator[str]:
    """The growth since the warm-up."""
    warm = [one for one in samples if one.at >= min(10.0, minutes / 2) * 60]
    if len(warm) < 4:
        return
    fitted = statistics.linear_regression([one.at for one in warm], [one.total for one in warm])
    grown = fitted.slope * (warm[-1].at - warm[0].at)
    level = statistics.mean(one.total for one in warm)
    print(
        f"memory after the warm-up: {level:.0f} MB, grown by {grown:+.1f} MB ({fitted.slope * 3600:+.1f} MB/h)"
    )
    if grown > LARGEST_GROWTH * level:
        yield f"memory has grown by {grown:.1f} MB"
    third = max(len(warm) // 3, 1)
    before, after = (max(one.descriptors for one in part) for part in (warm[:third], warm[-third:]))
    print(f"file descriptors: {before} at first, {after} at last")
    if after > before + MORE_DESCRIPTORS:
        yield f"file descriptors went from {before} to {after}"


def soak(folder: Path, minutes: float, clients: int, seed: int, port: int) -> list[str]:
    """Runs the test and returns the problems."""
    log = folder / "calor.log"
    config = folder / "calor.conf"
    config.write_text(CONFIG.format(log=log))
    state = folder / "state"
    server = Server(str(state), port, ["--config-file", str(config)])
    try:
        first = server.processes()
        tally, end = Tally(), threading.Event()
        journeys = [
            Journey(server, tally, end, random.Random(f"{seed} {n}"), f"c{n}") for n in range(clients)
        ]
        threads = [threading.Thread(target=one.travel, daemon=True) for one in journeys]
        samples = _watched(server, state / "calor.db", tally, minutes, threads, end)
        problems = list(tally.problems)
        if server.processes() != first:
            problems.append(f"processes have ended: {first} before, {server.processes()} now")
        if any(thread.is_alive() for thread in threads):
            problems.append("clients hang")
        time.sleep(KEPT_SECONDS + 2 * CLEANING_SECONDS)
        problems += leftovers(state / "calor.db")
        problems += growths(samples, minutes)
        problems += [f"in the log: {error}" for error in islice(errors(log.read_text().splitlines()), 5)]
        return problems
    finally:
        server.stop()


def _watched(
    server: Server,
    database: Path,
    tally: Tally,
    minutes: float,
    threads: Sequence[threading.Thread],
    end: threading.Event,
) -> list[Sample]:
    """Starts the clients and takes samples of the server."""
    for thread in threads:
        thread.start()
    began = renewed = time.monotonic()
    pause = min(60.0, minutes * 6) / SAMPLES
    samples: list[Sample] = []
    while time.monotonic() < began + minutes * 60 and not tally.problems:
        moments = []
        for _ in range(SAMPLES):
            time.sleep(pause)
            moments.append(sample(server, time.monotonic() - began))
        if time.monotonic() - renewed > RENEWAL_SECONDS:
            renewed = time.monotonic()
            server.log_in()
        samples.append(median(moments))
        _report(samples[-1], tally, rows(database))
    end.set()
    for thread in threads:
        thread.join(120)
    return samples


def _report(one: Sample, tally: Tally, rows: dict[str, int]) -> None:
    requests, middle, late = tally.latency()
    shares = " ".join(
        f"{name.removeprefix('calor ')} {size:.0f}" for name, size in sorted(one.memory.items())
    )
    print(
        f"{one.at / 60:5.1f} min  {one.total:4.0f} MB ({shares})  {one.descriptors} fds  {requests} requests, "
        f"p50 {middle * 1000:.0f} ms, p99 {late * 1000:.0f} ms  {tally.done}  rows "
        + " ".join(f"{name} {number}" for name, number in rows.items()),
        flush=True,
    )


def main() -> int:
    minutes = float(os.environ.get("MINUTES", "60"))
    seed = int(os.environ.get("SEED", str(int(time.time()))))
    clients = int(os.environ.get("CLIENTS", "20"))
    print(f"{minutes:g} minutes, {clients} clients, SEED={seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        problems = soak(Path(folder), minutes, clients, seed, int(os.environ.get("PORT", "28004")))
    for problem in problems:
        print(f"PROBLEM: {problem}")
    print("FAILED" if problems else "PASSED")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
