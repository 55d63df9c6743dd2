"""Runs the tests in two processes side by side: those that look at parts, and those that start whole servers.

    python scripts/test.py [OPTION OF PYTEST ...]

What the second says is told when the first has ended, and then one line for both.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent
PARTS = ("api", "cli", "property", "scenarios", "security", "unit")
NOT_HERE = ("conformance", "support")
"""What has a target of its own, and what is no test."""
NOTHING_COLLECTED = 5


def main(options: list[str]) -> int:
    folders = sorted(
        each.name for each in (HOME / "tests").iterdir() if each.is_dir() and not each.name.startswith("_")
    )
    wholes = [name for name in folders if name not in (*PARTS, *NOT_HERE)]
    began = time.monotonic()
    with tempfile.TemporaryFile("w+") as first, tempfile.TemporaryFile("w+") as second:
        beside = subprocess.Popen(command(wholes, options), cwd=HOME, stdout=second, stderr=subprocess.STDOUT)
        here = subprocess.Popen(
            command(PARTS, options), cwd=HOME, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert here.stdout is not None
        for line in here.stdout:
            print(line, end="", flush=True)
            first.write(line)
        codes = {here.wait(), beside.wait()}
        first.seek(0)
        second.seek(0)
        said = second.read()
        print(said, end="", flush=True)
        told = counted(first.read()) + counted(said)
    words = ", ".join(
        f"{told[word]} {word}" for word in ("failed", "passed", "skipped", "error") if told[word]
    )
    print(f"== both: {words} in {time.monotonic() - began:.2f}s ==", flush=True)
    return max(code for code in codes if code != NOTHING_COLLECTED) if codes != {NOTHING_COLLECTED} else 5


def command(folders: list[str] | tuple[str, ...], options: list[str]) -> list[str]:
    return [sys.executable, "-m", "pytest", *(f"tests/{name}" for name in folders), *options]


def counted(output: str) -> Counter[str]:
    """How many tests ended in which way, by the last line of pytest."""
    ending = output.rstrip().rpartition("\n")[2]
    found = re.findall(r"(\d+) (failed|passed|skipped|error)", ending)
    return Counter({word: int(number) for number, word in found})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
