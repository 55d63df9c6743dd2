"""How far a deployment has come on its server: whether the agent has fetched it, and what it reports."""

from __future__ import annotations

from dataclasses import dataclass

from calor.lifecycle import Status
from calor.resources.values import JsonMapping
from calor.store import records
from calor.store.records import Document

KEY = "deploy_progress"
"""The only key of a signal that reports progress instead of a result."""
REPORTS = "reports_progress"
"""The key of a deployment in a server's metadata that asks the agent for such signals."""
LONGEST_LOG = 4096
_TRANSPORTS = ("CFN_SIGNAL", "HEAT_SIGNAL")
FIRST_EVENT_SECONDS = 60.0


class InvalidProgress(ValueError):
    """A report that does not follow the format; the message has the reason."""


@dataclass(frozen=True, slots=True)
class ProgressReport:
    """What the agent reports while it runs a config."""

    config: str
    log: str
    """The last characters of the output so far."""


def is_progress(details: object) -> bool:
    return isinstance(details, dict) and set(details) == {KEY}


def report_of(details: JsonMapping) -> ProgressReport:
    """Raises InvalidProgress."""
    given = details[KEY]
    if not isinstance(given, dict):
        raise InvalidProgress(f"{KEY} must be an object.")
    config, log = given.get("id"), given.get("log", "")
    if not isinstance(config, str) or not isinstance(log, str):
        raise InvalidProgress(f"The id and the log of {KEY} must be strings.")
    return ProgressReport(config, log[-LONGEST_LOG:])


def wants_reports(config: records.SoftwareConfig) -> bool:
    """Whether the agent reports progress: with other transports, reports could not be distinguished from results."""
    inputs = {each.get("name"): each.get("value") for each in config.config.get("inputs") or ()}
    return inputs.get("deploy_signal_transport") in _TRANSPORTS and bool(inputs.get("deploy_resource_name"))


def advanced(before: Document | None, report: ProgressReport, now: float) -> tuple[Document, bool]:
    """The progress after a report, and whether it is worth an event. The pauses between events double, so that a script
    that runs for days leaves a few."""
    started = before["started_at"] if before else now
    next_event = before["next_event_at"] if before else now + FIRST_EVENT_SECONDS
    is_due = before is not None and now >= next_event
    if is_due:
        next_event = now + (now - started)
    return {"started_at": started, "at": now, "log": report.log, "next_event_at": next_event}, is_due


def last_line(log: str) -> str:
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""


def running(progress: Document, now: float) -> str:
    """A sentence about a deployment that runs."""
    text = f"The server has been running the deployment for {_duration(now - progress['started_at'])}"
    silent = now - progress["at"]
    if silent > FIRST_EVENT_SECONDS:
        text += f", and has not reported for {_duration(silent)}"
    line = last_line(progress["log"])
    return f"{text}: {line}" if line else text


def status_reason(deployment: records.SoftwareDeployment, now: float) -> str:
    """The reason of a deployment's status; for one in progress, how far it has come."""
    if deployment.status != Status.IN_PROGRESS:
        return deployment.reason or ""
    if deployment.progress is not None:
        return running(deployment.progress, now)
    if deployment.fetched_at is not None:
        return f"The server fetched the deployment {_duration(now - deployment.fetched_at)} ago"
    return deployment.reason or ""


def _duration(seconds: float) -> str:
    whole = max(0, int(seconds))
    if whole < 120:
        return f"{whole} s"
    return f"{whole // 60} min" if whole < 7200 else f"{whole // 3600} h"
