"""Follows a deployment: prints what its server reports, until it has ended."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable

from calor.cli.json_values import JsonObject

POLL_SECONDS = 1.0


def follow(
    get: Callable[[], JsonObject],
    print_status: Callable[[str], None],
    print_log: Callable[[str], None],
    sleep: Callable[[float], None] = time.sleep,
) -> JsonObject:
    """Returns the deployment when it is no longer in progress."""
    log, stage, printed = "", "", ""
    while True:
        found = get()
        progress = found.get("progress") or {}
        now = _stage(found, progress)
        if now and now != stage:
            print_status(now)
            stage = now
        new = continuation(log, progress.get("log") or "")
        if new:
            print_log(new)
            printed += new
            log = progress["log"]
        if found.get("status") != "IN_PROGRESS":
            rest = unprinted(printed, found.get("output_values") or {})
            if rest:
                print_log(rest)
            return found
        sleep(POLL_SECONDS)


def _stage(found: JsonObject, progress: JsonObject) -> str:
    """A line that changes when the deployment gets further, not with each second that passes."""
    if found.get("status") != "IN_PROGRESS":
        return ""
    if progress.get("started_time"):
        return f"running since {progress['started_time']}"
    if progress.get("fetched_time"):
        return f"fetched by the server at {progress['fetched_time']}"
    return str(found.get("status_reason") or "in progress")


def continuation(before: str, after: str) -> str:
    """What was added to a log of which only the end is known: `after` without the part that `before` ends with."""
    for length in range(min(len(before), len(after)), 0, -1):
        if before.endswith(after[:length]):
            return after[length:]
    return after


def unprinted(printed: str, outputs: JsonObject) -> str:
    """What the script wrote after its last report. Reports mix standard output and standard error, the result does not,
    so lines are compared regardless of their order."""
    known = Counter(printed.splitlines())
    rest = []
    for name in ("deploy_stdout", "deploy_stderr"):
        text = outputs.get(name)
        for line in text.splitlines() if isinstance(text, str) else ():
            if known[line] > 0:
                known[line] -= 1
            else:
                rest.append(f"{line}\n")
    return "".join(rest)
