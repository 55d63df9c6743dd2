"""Software configurations and deployments."""

from __future__ import annotations

import time
from typing import Any

import pytest
from sqlalchemy import select

from calor.store import database, tables
from calor.types.heat.software import software_deployment
from tests.support.workbench import CALLER, PATIENCE, Workbench, template


def stored(bench: Workbench, table: Any) -> list[Any]:
    with database.reading(bench.database).connect() as connection:
        return list(connection.execute(select(table)))


def deployed() -> dict[str, Any]:
    return template(
        {
            "config": {
                "type": "OS::Heat::SoftwareConfig",
                "properties": {"group": "script", "config": "date"},
            },
            "deployment": {
                "type": "OS::Heat::SoftwareDeployment",
                "properties": {
                    "config": {"get_resource": "config"},
                    "server": "server-1",
                    "signal_transport": "NO_SIGNAL",
                },
            },
        }
    )


def test_a_deployment_has_its_own_configuration(bench: Workbench) -> None:
    stack = bench.create(deployed())

    ended = bench.wait(stack)

    assert ended.state == "CREATE_COMPLETE", ended.reason
    [deployment] = stored(bench, tables.software_deployment)
    assert deployment.server == "server-1"
    assert deployment.status == "COMPLETE"
    configs = {row.id: row for row in stored(bench, tables.software_config)}
    assert configs[deployment.config].config["config"] == "date"
    assert deployment.config != bench.resources(stack)["config"].physical_id


def test_deleting_the_stack_leaves_no_configuration(bench: Workbench) -> None:
    stack = bench.create(deployed())
    bench.wait(stack)

    bench.delete(stack)

    assert bench.wait(stack).state == "DELETE_COMPLETE"
    assert stored(bench, tables.software_deployment) == []
    assert stored(bench, tables.software_config) == []


def test_signals_through_queues_are_refused(bench: Workbench) -> None:
    handle = {"type": "OS::Heat::WaitConditionHandle", "properties": {"signal_transport": "ZAQAR_SIGNAL"}}
    stack = bench.create(template({"h": handle}))

    ended = bench.wait(stack)

    assert ended.state == "CREATE_FAILED"
    assert "NotSupported: resources.h: Zaqar signal queues are not supported" in ended.reason


class TestWaitingForTheServer:
    @pytest.fixture(autouse=True)
    def a_server_that_knows_how_to_report(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async def reporting(ctx: Any, transport: str) -> dict[str, Any]:
            return {}

        monkeypatch.setattr(software_deployment, "_reporting", reporting)

    def waiting(self, bench: Workbench) -> Any:
        body = deployed()
        body["resources"]["deployment"]["properties"]["signal_transport"] = "CFN_SIGNAL"
        stack = bench.create(body)
        self.until(bench, "IN_PROGRESS")
        return stack

    def until(self, bench: Workbench, status: str) -> None:
        end = time.monotonic() + PATIENCE
        while [row.status for row in stored(bench, tables.software_deployment)] != [status]:
            assert time.monotonic() < end
            time.sleep(0.005)

    def test_a_report_counts_once(self, bench: Workbench) -> None:
        stack = self.waiting(bench)
        for code in (0, 1):
            row = bench.resources(stack)["deployment"]
            bench.commands.resources.signal(CALLER, stack, row, {"deploy_status_code": code})

        assert bench.wait(stack).state == "CREATE_COMPLETE"
        [deployment] = stored(bench, tables.software_deployment)
        assert deployment.status == "COMPLETE"
        assert deployment.output_values["deploy_status_code"] == 0

    def test_a_deployment_whose_stack_is_cancelled_is_waited_for(self, bench: Workbench) -> None:
        stack = self.waiting(bench)

        bench.commands.stacks.act(CALLER, bench.stack(stack.id), "cancel_without_rollback")
        assert bench.wait(stack).state == "CREATE_FAILED"
        row = bench.resources(stack)["deployment"]
        bench.commands.resources.signal(CALLER, stack, row, {"deploy_status_code": 0})

        self.until(bench, "COMPLETE")
        bench.until(lambda: bench.resources(stack)["deployment"].state == "CREATE_COMPLETE")
        assert bench.stack(stack.id).state == "CREATE_FAILED"

    def test_a_deployment_whose_stack_is_out_of_time_has_failed(
        self, bench: Workbench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        stack = self.waiting(bench)
        assert bench.keeper is not None
        [(execution, _)] = bench.keeper._runs.values()

        bench.loop.call_soon_threadsafe(execution._expire)

        assert bench.wait(stack).reason == "Timed out"
        self.until(bench, "FAILED")
        [deployment] = stored(bench, tables.software_deployment)
        assert deployment.reason == "Deployment cancelled."
