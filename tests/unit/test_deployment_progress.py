"""How far a deployment has come, as its server reports it."""

from __future__ import annotations

import pytest

from calor.lifecycle import Status
from calor.stacks.deployment_progress import (
    KEY,
    InvalidProgress,
    ProgressReport,
    advanced,
    is_progress,
    report_of,
    status_reason,
    wants_reports,
)
from calor.stacks.software import changed_deployment, new_config, new_deployment
from calor.store.records import SoftwareDeployment, changed

NOW = 1_700_000_000.0


def deployment(**values: object) -> SoftwareDeployment:
    fields = {
        "server": "s",
        "config": "c",
        "status": "IN_PROGRESS",
        "status_reason": "waiting for the server",
    }
    return changed(new_deployment("p", fields, NOW), **values)


def test_only_a_signal_of_nothing_else_is_progress() -> None:
    assert is_progress({KEY: {}})
    assert not is_progress({KEY: {}, "deploy_status_code": 0})
    assert not is_progress({"deploy_stdout": KEY})
    assert not is_progress(None)


def test_a_report_has_the_id_of_a_config_and_the_end_of_the_log() -> None:
    assert report_of({KEY: {"id": "c", "log": "x" * 5000}}) == ProgressReport("c", "x" * 4096)


@pytest.mark.parametrize("given", ["text", None, [], {"id": 3}, {"log": "no id"}, {"id": "c", "log": 1}])
def test_other_reports_are_refused(given: object) -> None:
    with pytest.raises(InvalidProgress):
        report_of({KEY: given})


def test_events_about_a_long_script_get_rarer() -> None:
    progress, is_due = advanced(None, ProgressReport("c", ""), NOW)
    assert not is_due
    at = []
    for second in range(2, 3600, 2):
        progress, is_due = advanced(progress, ProgressReport("c", "step"), NOW + second)
        if is_due:
            at.append(second)
    assert at == [60, 120, 240, 480, 960, 1920]
    assert progress["started_at"] == NOW


def test_the_reason_of_a_deployment_in_progress_shows_how_far_it_is() -> None:
    assert status_reason(deployment(), NOW) == "waiting for the server"
    fetched = deployment(fetched_at=NOW)
    assert status_reason(fetched, NOW + 5) == "The server fetched the deployment 5 s ago"
    progress, _ = advanced(None, ProgressReport("c", "one\ntwo\n"), NOW)
    running = changed(fetched, progress=progress)
    assert status_reason(running, NOW + 5) == "The server has been running the deployment for 5 s: two"
    silent = "The server has been running the deployment for 5 min, and has not reported for 5 min: two"
    assert status_reason(running, NOW + 300) == silent


def test_the_reason_of_an_ended_deployment_is_its_own() -> None:
    assert status_reason(deployment(status=Status.FAILED, reason="no", fetched_at=NOW), NOW) == "no"


def test_a_new_config_starts_over() -> None:
    assert changed_deployment({"config": "other"}, NOW)["progress"] is None
    assert "progress" not in changed_deployment({"status": "COMPLETE"}, NOW)


@pytest.mark.parametrize(("transport", "wanted"), [("CFN_SIGNAL", True), ("TEMP_URL_SIGNAL", False)])
def test_agents_report_progress_where_it_can_be_distinguished_from_results(
    transport: str, wanted: bool
) -> None:
    inputs = [
        {"name": "deploy_signal_transport", "value": transport},
        {"name": "deploy_resource_name", "value": "d"},
    ]
    assert wants_reports(new_config("p", {"inputs": inputs}, NOW)) is wanted
