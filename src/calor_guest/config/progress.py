"""Reports the output of a hook to the stack while it runs."""

import json
import threading
import time
from contextlib import contextmanager
from typing import Iterator, NamedTuple, Sequence

from calor_guest.common.http import RequestFailed
from calor_guest.config.configs import Config, inputs_of
from calor_guest.config.running import Tail
from calor_guest.config.transports import Transport, transports

LONGEST_LOG = 4096


class Pace(NamedTuple):
    """Seconds."""

    first: float = 2.0
    again: float = 5.0
    heartbeat: float = 30.0
    """Reports come so often even without news."""


def watchers(config: Config) -> Sequence[Transport]:
    """Where the progress of a config is reported; nowhere unless the stack asks for it."""
    if config.get("reports_progress") is not True:
        return ()
    try:
        return [one for one in transports(inputs_of(config)) if one.takes_progress]
    except (RequestFailed, LookupError, TypeError):
        return ()


def report(transports: Sequence[Transport], id: str, log: str) -> bool:
    """Whether all took it. Nothing depends on progress, so errors are ignored."""
    body = json.dumps({"deploy_progress": {"id": id, "log": log[-LONGEST_LOG:]}})
    try:
        for transport in transports:
            transport.send(body)
    except (RequestFailed, ValueError, LookupError, TypeError, AttributeError):
        return False
    return True


@contextmanager
def reporting(transports: Sequence[Transport], id: str, output: Tail, pace: Pace) -> Iterator[None]:
    """Reports from a thread of its own, which nobody waits for: a slow API does not delay the result."""
    if not transports:
        yield
        return
    done = threading.Event()
    arguments = (transports, id, output, pace, done)
    threading.Thread(target=_report_until, args=arguments, daemon=True).start()
    try:
        yield
    finally:
        done.set()


def _report_until(
    transports: Sequence[Transport], id: str, output: Tail, pace: Pace, done: threading.Event
) -> None:
    reported, at = -1, 0.0
    pause = pace.first
    while not done.wait(pause):
        pause = pace.again
        seen = output.added
        has_news = seen != reported or time.monotonic() - at >= pace.heartbeat
        if has_news and report(transports, id, output.text(LONGEST_LOG)):
            reported, at = seen, time.monotonic()
