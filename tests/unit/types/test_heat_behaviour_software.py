"""Software configurations, deployments of them, and stacks in other places."""

from __future__ import annotations

from email import message_from_string
from typing import Any

import pytest
import yaml

from calor.language.values import Secret
from calor.resources.outcomes import NeedsReplacement, ResourceFailed
from calor.testing import FakeContext, properties_of, run
from calor.testing.context import EngineKilled
from calor.types.heat.software.cloud_config import CloudConfig
from calor.types.heat.software.derived_config import filled, outcome
from calor.types.heat.software.multipart_mime import MultipartMime
from calor.types.heat.software.software_component import SoftwareComponent
from calor.types.heat.software.software_config import SoftwareConfig
from calor.types.heat.software.software_deployment import SoftwareDeployment
from calor.types.heat.software.structured_config import StructuredConfig
from calor.types.heat.software.structured_deployment import StructuredDeployment
from calor.types.heat.stack import Stack


def created(kind: Any, context: FakeContext | None = None, /, **given: Any) -> FakeContext:
    props = properties_of(kind, **given)
    context = context or FakeContext(kind)
    context.properties = props
    run(kind.create(context, props))
    return context


class TestConfigs:
    def test_is_stored_and_removed(self) -> None:
        context = created(SoftwareConfig, config="#!/bin/sh", inputs=[{"name": "a"}])

        assert context.configs["config-1"] == {
            "id": "config-1",
            "name": "web-thing-000000000000",
            "group": "Heat::Ungrouped",
            "config": "#!/bin/sh",
            "options": None,
            "inputs": context.properties["inputs"],
            "outputs": None,
        }
        assert context.physical_id == "config-1"
        assert SoftwareConfig.attribute(context, "config") == "#!/bin/sh"

        SoftwareConfig.delete(context)
        assert context.calls == [("delete_config", "config-1")]

    def test_structured(self) -> None:
        assert created(StructuredConfig, config={"a": 1}).configs["config-1"]["config"] == {"a": 1}

    def test_component(self) -> None:
        configs = [{"actions": ["CREATE"], "config": "x", "tool": "script"}]

        stored = created(SoftwareComponent, configs=configs).configs["config-1"]

        assert stored["group"] == "component"
        assert stored["config"] == {"configs": configs}

    def test_cloud_config(self) -> None:
        document = {"users": [{"name": "ü"}], "runcmd": ["a"]}

        text = created(CloudConfig, cloud_config=document).configs["config-1"]["config"]

        assert text.startswith("#cloud-config\n")
        assert yaml.safe_load(text) == document


class TestMultipartMime:
    def part(self, config: str, **given: Any) -> dict[str, Any]:
        return {"config": config, "filename": None, "type": "text", "subtype": None, **given}

    def message(self, context: FakeContext | None = None, *parts: dict[str, Any]) -> list[tuple[Any, ...]]:
        context = created(MultipartMime, context, parts=list(parts))
        text = MultipartMime.attribute(context, "config")
        assert context.configs[str(context.physical_id)]["config"] == text
        return [
            (part.get_content_type(), part.get_filename(), part.get_payload(decode=True).decode())  # type: ignore[union-attr]
            for part in message_from_string(text).get_payload()
        ]

    def test_parts(self) -> None:
        assert self.message(
            None,
            self.part("one"),
            self.part("two ü", subtype="x-shellscript", filename="b.sh"),
            self.part("three", filename="cloud-config.txt"),
        ) == [
            ("text/plain", None, "one"),
            ("text/x-shellscript", "b.sh", "two ü"),
            ("text/cloud-config", "cloud-config.txt", "three"),
        ]

    def test_parts_that_are_configurations(self) -> None:
        id = "11111111-1111-4111-bfff-ffffffffffff"
        context = FakeContext(MultipartMime, configs={id: {"config": "stored"}})

        assert self.message(context, self.part(id)) == [("text/plain", None, "stored")]

    def test_what_only_looks_like_an_id_is_text(self) -> None:
        id = "11111111-1111-4111-bfff-ffffffffffff"

        assert self.message(None, self.part(id)) == [("text/plain", None, id)]

    def test_parts_of_parts(self) -> None:
        inner = created(MultipartMime, parts=[self.part("a", filename="f"), self.part("b")])
        text = MultipartMime.attribute(inner, "config")

        assert self.message(None, self.part(text, type="multipart")) == [
            ("text/f", "f", "a"),
            ("text/plain", None, "b"),
        ]


class TestDerived:
    def test_inputs_are_put_in(self) -> None:
        config = {"a": {"get_input": "x"}, "b": [{"get_input": "y"}, {"get_input": "x", "more": 1}]}

        assert filled(config, "get_input", {"x": 1}, strict=False) == {
            "a": 1,
            "b": [None, {"get_input": "x", "more": 1}],
        }

    def test_strict_inputs_must_be_there(self) -> None:
        with pytest.raises(ResourceFailed):
            filled({"a": {"in": "x"}}, "in", {}, strict=True)

    @pytest.mark.parametrize("code", [None, 0, "0"])
    def test_success(self, code: Any) -> None:
        found = outcome({}, {}, {"deploy_status_code": code, "unknown": 1})

        assert not found.failed
        assert found.outputs == {"deploy_stdout": None, "deploy_stderr": None, "deploy_status_code": code}

    def test_exit_code(self) -> None:
        assert outcome({}, {}, {"deploy_status_code": 2}).failed

    def test_outputs_that_mean_an_error(self) -> None:
        config = {"outputs": [{"name": "result"}, {"name": "problem", "error_output": True}]}

        assert not outcome(config, {}, {"result": 1}).failed
        found = outcome(config, {"before": 0}, {"result": 1, "problem": "no disk"})
        assert found.reason == "problem : no disk"
        assert found.outputs.items() >= {"before": 0, "result": 1, "problem": "no disk"}.items()


SOURCE = {
    "name": "install",
    "group": "script",
    "config": "echo $a",
    "inputs": [
        {"name": "a", "type": "String", "default": "da", "replace_on_change": True},
        {"name": "b", "type": "String"},
    ],
    "outputs": [{"name": "result"}],
}


class TestDeployment:
    def context(self, kind: Any = SoftwareDeployment, **source: Any) -> FakeContext:
        return FakeContext(kind, configs={"source": {**SOURCE, **source}}, servers={"s": {}})

    def deployed(
        self, context: FakeContext | None = None, *, report: Any = None, **given: Any
    ) -> FakeContext:
        context = context or self.context()
        context.on_wait = lambda: context.type.signal(context, report)  # type: ignore[attr-defined]
        return created(context.type, context, **{"server": "s", "config": "source", **given})

    def inputs(self, context: FakeContext) -> dict[str, Any]:
        config = context.configs[context.deployments["deployment-1"]["config"]]
        return {each["name"]: each["value"] for each in config["inputs"]}

    def test_waits_for_the_report(self) -> None:
        context = self.deployed(report={"result": 42, "deploy_stdout": "out", "deploy_status_code": 0})

        assert context.physical_id == "deployment-1"
        assert context.deployments["deployment-1"]["status"] == "COMPLETE"
        assert SoftwareDeployment.attribute(context, "result") == 42
        assert SoftwareDeployment.attribute(context, "deploy_stdout") == "out"

    def test_server_gets_a_configuration_of_its_own(self) -> None:
        context = self.deployed(input_values={"b": 1, "c": 2})

        derived = context.configs[context.deployments["deployment-1"]["config"]]
        assert (derived["name"], derived["group"], derived["config"]) == ("install", "script", "echo $a")
        assert list(self.inputs(context).items()) == [
            ("a", "da"),
            ("b", 1),
            ("c", 2),
            ("deploy_server_id", "s"),
            ("deploy_action", "CREATE"),
            ("deploy_stack_id", "web/5a1f0d8e-0000-4000-8000-000000000000"),
            ("deploy_resource_name", "thing"),
            ("deploy_signal_transport", "CFN_SIGNAL"),
            ("deploy_signal_id", "https://cfn/signal?Signature=s"),
            ("deploy_signal_verb", "POST"),
        ]

    @pytest.mark.parametrize(
        ("transport", "names"),
        [
            ("TEMP_URL_SIGNAL", {"deploy_signal_id", "deploy_signal_verb"}),
            ("HEAT_SIGNAL", {"deploy_auth_url", "deploy_user_id", "deploy_password"}),
            ("ZAQAR_SIGNAL", {"deploy_auth_url", "deploy_queue_id"}),
        ],
    )
    def test_other_transports(self, transport: str, names: set[str]) -> None:
        inputs = self.inputs(self.deployed(signal_transport=transport))

        assert names <= set(inputs)
        assert "deploy_region_name" not in inputs

    def test_without_signals_it_is_complete_at_once(self) -> None:
        context = self.deployed(signal_transport="NO_SIGNAL")

        assert context.slept == []
        assert context.deployments["deployment-1"]["status"] == "COMPLETE"

    def test_reports_are_fetched(self) -> None:
        context = self.context()
        context.incoming = [{"result": 1}]
        created(SoftwareDeployment, context, server="s", config="source", signal_transport="TEMP_URL_SIGNAL")

        assert SoftwareDeployment.attribute(context, "result") == 1

    def test_failure(self) -> None:
        context = self.context()

        with pytest.raises(ResourceFailed) as raised:
            self.deployed(context, report={"deploy_status_code": 7})

        assert "7" in raised.value.message
        assert context.deployments["deployment-1"]["status"] == "FAILED"

    def test_reports_that_nobody_waits_for_are_ignored(self) -> None:
        context = self.deployed(report={"result": 1})

        assert run(SoftwareDeployment.signal(context, {"result": 2})) is None
        assert context.deployments["deployment-1"]["output_values"]["result"] == 1

    def test_other_actions_do_nothing(self) -> None:
        context = self.deployed(actions=["DELETE"])

        assert context.physical_id is None
        assert context.deployments == {}

    def test_a_component_determines_when_it_runs(self) -> None:
        configs = {"configs": [{"actions": ["UPDATE"], "config": "x", "tool": "t"}]}
        context = self.deployed(self.context(group="component", config=configs))
        assert context.deployments == {}

        run(SoftwareDeployment.update(context, context.properties, frozenset()))
        assert context.deployments["deployment-1"]["action"] == "UPDATE"

    def test_missing_configuration(self) -> None:
        with pytest.raises(ResourceFailed):
            self.deployed(config="other")

    def test_without_a_configuration(self) -> None:
        context = self.deployed(config=None)

        derived = context.configs[context.deployments["deployment-1"]["config"]]
        assert (derived["name"], derived["group"]) == ("web-thing-000000000000", "Heat::Ungrouped")

    def test_update_takes_a_new_configuration(self) -> None:
        context = self.deployed(input_values={"b": 1})
        before = context.deployments["deployment-1"]["config"]

        run(
            SoftwareDeployment.update(
                context, {**context.properties, "input_values": {"b": 2}}, frozenset({"input_values"})
            )
        )

        assert context.deployments["deployment-1"]["config"] != before
        assert ("delete_config", before) in context.calls
        assert self.inputs(context)["b"] == 2
        assert self.inputs(context)["deploy_action"] == "UPDATE"

    def test_an_engine_that_takes_over_waits_for_what_the_server_has(self) -> None:
        """A new configuration would run again."""
        context = self.context()

        def kill() -> None:
            raise EngineKilled

        context.on_wait = kill
        with pytest.raises(EngineKilled):
            created(SoftwareDeployment, context, server="s", config="source")
        given = dict(context.deployments["deployment-1"])
        self.deployed(context)

        assert context.deployments["deployment-1"]["config"] == given["config"]
        assert context.deployments["deployment-1"]["status"] == "COMPLETE"

    @pytest.mark.parametrize("changed", [{"occasion": "2 UPDATE"}, {"input_values": {"b": 2}}])
    def test_another_action_or_another_input_is_for_the_server_again(self, changed: dict[str, Any]) -> None:
        context = self.deployed(input_values={"b": 1})
        before = context.deployments["deployment-1"]["config"]

        context.occasion = changed.get("occasion", context.occasion)
        self.deployed(context, input_values=changed.get("input_values", {"b": 1}))

        assert context.deployments["deployment-1"]["config"] != before

    def test_some_inputs_replace_it(self) -> None:
        context = self.deployed(input_values={"a": 1})
        wanted = {**context.properties, "input_values": {"a": 2}}

        with pytest.raises(NeedsReplacement):
            run(SoftwareDeployment.update(context, wanted, frozenset({"input_values"})))

    def test_deletion(self) -> None:
        context = self.deployed()
        run(SoftwareDeployment.delete(context))

        assert context.deployments == {}
        assert context.calls == [("delete_config", "config-2"), "remove_signalling"]

    @pytest.mark.parametrize("actions", [["CREATE", "DELETE"], ["DELETE"]])
    def test_the_server_can_undo_it(self, actions: list[str]) -> None:
        context = self.deployed(actions=actions)
        seen: list[Any] = []

        def report() -> Any:
            seen.append(self.inputs(context)["deploy_action"])
            return SoftwareDeployment.signal(context, None)

        context.on_wait = report
        run(SoftwareDeployment.delete(context))

        assert seen == ["DELETE"]
        assert context.deployments == {}

    def test_what_its_creation_did_not_reach_is_not_undone(self) -> None:
        context = self.context()
        with pytest.raises(ResourceFailed):
            self.deployed(context, actions=["CREATE", "DELETE"], config="other")

        run(SoftwareDeployment.delete(context))

        assert context.deployments == {}

    def test_a_server_that_is_gone_need_not_undo_it(self) -> None:
        context = self.deployed(actions=["CREATE", "DELETE"])
        context.servers = {}
        run(SoftwareDeployment.delete(context))

        assert context.deployments == {}

    def test_a_server_that_goes_meanwhile_need_not_finish(self) -> None:
        context = self.deployed(actions=["CREATE", "DELETE"])
        context.on_wait = context.servers.clear
        run(SoftwareDeployment.delete(context))

        assert context.deployments == {}

    def test_structured(self) -> None:
        context = self.context(StructuredDeployment, config={"x": {"get_input": "b"}})
        self.deployed(context, input_values={"b": [1]})

        assert context.configs[context.deployments["deployment-1"]["config"]]["config"] == {"x": [1]}


class Elsewhere:
    """A stack in another place, which needs a look or two to get anywhere."""

    def __init__(self, outcome: str = "COMPLETE") -> None:
        self.outcome = outcome
        self.action = ""
        self.looks = 0
        self.bodies: list[Any] = []

    def begin(self, action: str) -> None:
        self.action, self.looks = action, 0

    async def create(self, body: Any) -> str:
        self.bodies.append(body)
        self.begin("CREATE")
        return "remote-1"

    async def update(self, id: str, body: Any) -> None:
        self.bodies.append(body)
        self.begin("UPDATE")

    async def delete(self, id: str) -> None:
        self.begin("DELETE")

    async def act(self, id: str, action: str) -> None:
        self.begin(action.upper())

    async def show(self, id: str) -> dict[str, Any] | None:
        self.looks += 1
        status = "IN_PROGRESS" if self.looks == 1 else self.outcome
        if self.action == "DELETE" and self.looks > 1:
            return None
        return {
            "stack_name": "there",
            "stack_status": f"{self.action}_{status}",
            "stack_status_reason": "because",
            "outputs": [
                {"output_key": "o", "output_value": 1},
                {"output_key": "key", "output_value": "k", "sensitive": True},
            ],
        }


class TestRemoteStack:
    def stack(self, remote: Elsewhere, **given: Any) -> FakeContext:
        return created(
            Stack,
            FakeContext(Stack, remote=remote, template_files={"a.yaml": "text"}),
            **{"template": "t", **given},
        )

    def test_create(self) -> None:
        remote = Elsewhere()
        context = self.stack(remote, context={"region_name": "there"}, timeout=5, parameters={"p": 1})

        assert context.physical_id == "remote-1"
        [(_, place)] = context.calls
        assert place["region_name"] == "there"
        assert remote.bodies == [
            {
                "stack_name": "web-thing-000000000000",
                "disable_rollback": True,
                "template": "t",
                "parameters": {"p": 1},
                "files": {"a.yaml": "text"},
                "environment": {"resource_registry": {}},
                "timeout_mins": 5,
            }
        ]
        assert Stack.attribute(context, "outputs") == {"o": 1, "key": Secret("k")}
        assert Stack.attribute(context, "stack_name") == "there"

    def test_failure(self) -> None:
        with pytest.raises(ResourceFailed) as raised:
            self.stack(Elsewhere("FAILED"))

        assert "because" in raised.value.message

    def test_further_actions(self) -> None:
        context = self.stack(Elsewhere())

        run(Stack.update(context, {**context.properties, "template": "u"}, frozenset({"template"})))
        run(Stack.suspend(context))
        run(Stack.resume(context))
        run(Stack.check(context))
        run(Stack.delete(context))

    def test_another_region_replaces_it(self) -> None:
        context = self.stack(Elsewhere())
        wanted = {**context.properties, "context": {"region_name": "elsewhere"}}

        assert Stack.needs_replacement(context.properties, wanted, frozenset({"context"}))
        assert not Stack.needs_replacement(context.properties, context.properties, frozenset({"timeout"}))
