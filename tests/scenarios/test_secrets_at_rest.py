"""Hidden values are encrypted in the database, without any other effect."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from calor.service.commands import NewStack
from calor.service.queries import Queries
from calor.store import database, records, tables
from tests.support.workbench import CALLER, PATIENCE, Probe, Workbench, probe, template

SECRET = "Tr0ub4dor-and-3"
NEWER = "correct-horse-battery"

HIDDEN: dict[str, Any] = {"password": {"type": "string", "hidden": True}}
INNER = """
heat_template_version: 2018-08-31
parameters:
  phrase: {type: string}
resources:
  deep: {type: Test::Probe, properties: {value: {get_param: phrase}}}
outputs:
  told: {value: {get_attr: [deep, value]}}
"""


def everywhere() -> dict[str, Any]:
    """A template that carries its hidden parameter wherever a value can go."""
    password = {"get_param": "password"}
    return template(
        {
            "direct": {**probe(password), "metadata": {"note": password}},
            "value": {"type": "OS::Heat::Value", "properties": {"value": {"pass": password}}},
            "reader": probe({"get_attr": ["value", "value", "pass"]}),
            "nested": {"type": "inner.yaml", "properties": {"phrase": password}},
            "group": {
                "type": "OS::Heat::ResourceGroup",
                "properties": {
                    "count": 2,
                    "resource_def": {"type": "inner.yaml", "properties": {"phrase": password}},
                },
            },
            "config": {
                "type": "OS::Heat::SoftwareConfig",
                "properties": {
                    "config": {"str_replace": {"template": "echo $p", "params": {"$p": password}}}
                },
            },
            "deployment": {
                "type": "OS::Heat::SoftwareDeployment",
                "properties": {
                    "config": {"get_resource": "config"},
                    "server": "server-1",
                    "signal_transport": "NO_SIGNAL",
                    "input_values": {"pass": password},
                },
            },
        },
        parameters=HIDDEN,
        outputs={"shown": {"value": password}, "below": {"value": {"get_attr": ["nested", "told"]}}},
    )


FILES = {"inner.yaml": INNER}


def readable(bench: Workbench, text: str) -> bool:
    """Whether a text is in the database, in its files if they can be read, or in what is only compressed there."""
    if bench.database.dialect.name == "sqlite":
        folder = Path(bench.url.removeprefix("sqlite:///")).parent
        found = [file.read_bytes() for file in folder.glob("calor.db*")]
    else:
        with database.reading(bench.database).connect() as connection:
            stored = [connection.exec_driver_sql(f"SELECT * FROM {name}") for name in tables.metadata.tables]
            found = [str(row).encode() for result in stored for row in result]
    bodies = [row.body for row in rows(bench, tables.content)]
    found += [body if body.startswith(b"gAAAA") else zlib.decompress(body) for body in bodies]
    return any(text.encode() in data for data in found)


def rows(bench: Workbench, table: Any) -> list[Any]:
    with database.reading(bench.database).connect() as connection:
        return list(connection.execute(select(table)))


def created(bench: Workbench, document: dict[str, Any], **options: Any) -> records.Stack:
    stack = bench.wait(bench.create(document, **options))
    assert stack.state == "CREATE_COMPLETE", stack.reason
    return stack


def updated(
    bench: Workbench, stack: records.Stack, document: dict[str, Any], **options: Any
) -> records.Stack:
    stack = bench.wait(bench.update(stack, document, **options))
    assert stack.state == "UPDATE_COMPLETE", stack.reason
    return stack


def rolled_back(bench: Workbench, stack: records.Stack) -> records.Stack:
    ended = bench.wait(stack)
    while ended.action == "UPDATE":
        ended = bench.wait(stack)
    assert ended.state == "ROLLBACK_COMPLETE", ended.reason
    return ended


def kept(bench: Workbench, stack: records.Stack) -> tuple[records.Stack, records.Snapshot]:
    """The stack after a snapshot was taken of it, and the snapshot."""
    made = bench.commands.snapshots.create(CALLER, stack, None)
    stack = bench.wait(stack)
    return stack, Queries(bench.database, bench.world).snapshots.get(stack, made.id)


class TestWhereSecretsComeFrom:
    def test_what_is_not_hidden_can_be_read(self, bench: Workbench) -> None:
        created(bench, template({"a": probe(SECRET)}))

        assert readable(bench, SECRET)

    def test_a_parameter(self, bench: Workbench) -> None:
        created(bench, everywhere(), files=FILES, parameters={"password": SECRET})

        assert not readable(bench, SECRET)

    def test_an_environment(self, bench: Workbench) -> None:
        created(bench, everywhere(), files=FILES, environment={"parameters": {"password": SECRET}})

        assert not readable(bench, SECRET)

    def test_an_environment_file(self, bench: Workbench) -> None:
        files = {**FILES, "env.yaml": f"parameters: {{password: {SECRET}}}"}

        created(bench, everywhere(), files=files, environment_files=["env.yaml"])

        assert not readable(bench, SECRET)

    def test_a_default(self, bench: Workbench) -> None:
        document = everywhere()
        document["parameters"] = {"password": {"type": "string", "hidden": True, "default": SECRET}}

        created(bench, document, files=FILES)

        assert not readable(bench, SECRET)

    def test_a_parameter_that_only_a_template_below_hides(self, bench: Workbench) -> None:
        hiding = INNER.replace("{type: string}", "{type: string, hidden: true}")
        document = template({"nested": {"type": "inner.yaml"}})
        environment = {"parameter_defaults": {"phrase": SECRET}}

        stack = created(bench, document, files={"inner.yaml": hiding}, environment=environment)

        assert not readable(bench, SECRET)
        [below] = bench.nested(stack)
        assert bench.resources(below)["deep"].properties == {
            "value": SECRET,
            "fixed": "",
            "fails": "",
            "seconds": 0,
        }

    def test_a_parameter_that_a_template_hides_which_is_not_used_yet(self, bench: Workbench) -> None:
        hiding = INNER.replace("{type: string}", "{type: string, hidden: true}")
        group = {"count": 0, "resource_def": {"type": "inner.yaml"}}
        document = template({"group": {"type": "OS::Heat::ResourceGroup", "properties": group}})
        environment = {"parameter_defaults": {"phrase": SECRET}}

        created(bench, document, files={"inner.yaml": hiding}, environment=environment)

        assert not readable(bench, SECRET)

    def test_a_parameter_of_a_cfn_template(self, bench: Workbench) -> None:
        document = {
            "HeatTemplateFormatVersion": "2012-12-12",
            "Parameters": {"password": {"Type": "String", "NoEcho": "true"}},
            "Resources": {"a": {"Type": "Test::Probe", "Properties": {"value": {"Ref": "password"}}}},
        }

        created(bench, document, parameters={"password": SECRET})

        assert not readable(bench, SECRET)


class TestWhatUsersSee:
    def test_the_values_are_where_they_belong(self, bench: Workbench) -> None:
        stack = created(bench, everywhere(), files=FILES, parameters={"password": SECRET})

        resources = bench.resources(stack)
        assert resources["reader"].properties is not None
        assert resources["reader"].properties["value"] == SECRET
        assert resources["direct"].metadata == {"note": SECRET}
        assert stack.outputs == {
            "shown": {"value": SECRET, "secret": True},
            "below": {"value": SECRET, "secret": True},
        }
        events = [row for row in rows(bench, tables.event) if row.resource == "direct" and row.properties]
        assert [row.properties["value"] for row in events] == ["******"]
        assert {str(row.config["config"]) for row in rows(bench, tables.software_config)} == {
            f"echo {SECRET}"
        }

    def test_hidden_parameters_are_masked_and_listed_as_encrypted(self, bench: Workbench) -> None:
        stack = created(bench, everywhere(), files=FILES, parameters={"password": SECRET})
        definitions = Queries(bench.database, bench.world).definitions

        assert definitions.parameters(stack)["password"] == "******"
        shown = definitions.environment(stack)
        assert shown["encrypted_param_names"] == ["password"]
        assert shown["parameters"] == {"password": "******"}

    def test_an_export_gives_the_values_away(self, bench: Workbench) -> None:
        stack = created(bench, everywhere(), files=FILES, parameters={"password": SECRET})

        exported = bench.commands.transfers.export(CALLER, stack)

        assert exported["environment"]["parameters"] == {"password": SECRET}
        assert exported["environment"]["encrypted_param_names"] == ["password"]


class TestTheLifeOfAStack:
    def test_updating_with_the_same_value_touches_nothing(self, bench: Workbench) -> None:
        given = {"files": FILES, "parameters": {"password": SECRET}}
        stack = created(bench, everywhere(), **given)
        Probe.journal.clear()
        before = bench.events(stack)

        updated(bench, stack, everywhere(), **given)

        assert Probe.journal == []
        new = bench.events(stack)[len(before) :]
        assert {name for name, _ in new} <= {"s", "group"}
        for below in bench.nested(stack):
            assert [state for name, state in bench.events(below) if name == "deep"] in (
                [],
                ["CREATE_IN_PROGRESS", "CREATE_COMPLETE"],
            )

    def test_updating_with_another_value(self, bench: Workbench) -> None:
        stack = created(bench, everywhere(), files=FILES, parameters={"password": SECRET})

        stack = updated(bench, stack, everywhere(), files=FILES, parameters={"password": NEWER})

        assert stack.outputs is not None
        assert stack.outputs["below"] == {"value": NEWER, "secret": True}
        assert not readable(bench, SECRET)
        assert not readable(bench, NEWER)

    def test_an_update_that_keeps_what_was_given(self, bench: Workbench) -> None:
        stack = created(bench, everywhere(), files=FILES, parameters={"password": SECRET})

        stack = updated(bench, stack, everywhere(), existing=True)

        assert stack.outputs is not None
        assert stack.outputs["shown"] == {"value": SECRET, "secret": True}
        assert not readable(bench, SECRET)

    def test_a_failed_update_that_is_rolled_back(self, bench: Workbench) -> None:
        stack = created(
            bench, everywhere(), files=FILES, parameters={"password": SECRET}, disable_rollback=False
        )
        failing = everywhere()
        failing["resources"]["bad"] = probe(fails="create", depends_on=["nested", "group", "direct"])

        bench.update(stack, failing, files=FILES, parameters={"password": NEWER})

        stack = rolled_back(bench, stack)
        assert bench.resources(stack)["direct"].metadata == {"note": SECRET}
        assert not readable(bench, SECRET)
        assert not readable(bench, NEWER)

    def test_a_rollback_to_a_time_without_secrets(self, bench: Workbench) -> None:
        stack = created(bench, template({"a": probe("plain")}), disable_rollback=False)
        failing = template(
            {
                "a": probe({"get_param": "password"}),
                "b": probe({"get_param": "password"}, depends_on="a"),
                "bad": probe(fails="create", depends_on="b"),
            },
            parameters=HIDDEN,
        )

        bench.update(stack, failing, parameters={"password": SECRET})

        stack = rolled_back(bench, stack)
        assert set(bench.resources(stack)) == {"a"}
        assert not readable(bench, SECRET)

    def test_cancelling_the_update_that_brings_secrets(self, bench: Workbench) -> None:
        stack = created(bench, template({"a": probe("plain")}))
        document = template(
            {
                "a": probe("plain"),
                "b": probe({"get_param": "password"}, fails="delete"),
                "slow": probe(seconds=PATIENCE, depends_on="b"),
            },
            parameters=HIDDEN,
        )
        bench.update(stack, document, parameters={"password": SECRET})
        bench.until(lambda: "slow" in bench.resources(stack))

        bench.commands.stacks.act(CALLER, bench.stack(stack.id), "cancel_update")

        assert bench.wait(stack).state == "ROLLBACK_FAILED"
        assert bench.resources(stack)["b"].state == "DELETE_FAILED"
        assert not readable(bench, SECRET)

    def test_a_stack_that_hides_nothing_any_more(self, bench: Workbench) -> None:
        document = template({"a": probe({"get_param": "password"})}, parameters=HIDDEN)
        stack = created(bench, document, parameters={"password": SECRET})

        updated(bench, stack, template({"b": probe("plain")}))

        assert not readable(bench, SECRET)

    def test_snapshots(self, bench: Workbench) -> None:
        stack = created(bench, everywhere(), files=FILES, parameters={"password": SECRET})
        stack, snapshot = kept(bench, stack)
        stack = updated(bench, stack, everywhere(), files=FILES, parameters={"password": NEWER})

        bench.commands.snapshots.restore(CALLER, stack, snapshot)

        stack = bench.wait(stack)
        assert stack.state == "RESTORE_COMPLETE", stack.reason
        assert bench.resources(stack)["direct"].metadata == {"note": SECRET}
        assert not readable(bench, SECRET)
        assert not readable(bench, NEWER)

    def test_a_snapshot_from_before_anything_was_hidden(self, bench: Workbench) -> None:
        stack = created(bench, template({"a": probe("plain")}))
        stack, snapshot = kept(bench, stack)
        hiding = template({"a": probe({"get_param": "password"})}, parameters=HIDDEN)
        stack = updated(bench, stack, hiding, parameters={"password": SECRET})

        bench.commands.snapshots.restore(CALLER, stack, snapshot)

        assert bench.wait(stack).state == "RESTORE_COMPLETE"
        assert not readable(bench, SECRET)

    def test_scaling_by_a_signal_that_carries_a_secret_itself(self, bench: Workbench) -> None:
        members = {"type": "Test::Probe", "properties": {"value": {"get_param": "password"}}}
        sizes = {"min_size": 1, "max_size": 3, "resource": members}
        adjustment = {"adjustment_type": "change_in_capacity", "scaling_adjustment": 1}
        policy = {"auto_scaling_group_id": {"get_resource": "g"}, **adjustment}
        document = template(
            {
                "g": {"type": "OS::Heat::AutoScalingGroup", "properties": sizes},
                "up": {"type": "OS::Heat::ScalingPolicy", "properties": policy},
            },
            parameters=HIDDEN,
        )
        stack = created(bench, document, parameters={"password": SECRET})
        [group] = bench.nested(stack)

        bench.commands.resources.signal(
            CALLER, stack, bench.resources(stack)["up"], {"current": "alarm", "note": NEWER}
        )

        bench.until(lambda: len(bench.resources(group)) == 2)
        values = [(member.properties or {})["value"] for member in bench.resources(group).values()]
        assert values == [SECRET, SECRET]
        bench.until(lambda: rows(bench, tables.inbox) == [])
        assert not readable(bench, SECRET)
        assert not readable(bench, NEWER)

    def test_actions_and_deletion(self, bench: Workbench) -> None:
        stack = created(bench, everywhere(), files=FILES, parameters={"password": SECRET})
        for verb in ("suspend", "resume", "check"):
            bench.commands.stacks.act(CALLER, bench.stack(stack.id), verb)
            bench.wait(stack)

        bench.delete(stack)

        assert bench.wait(stack).state == "DELETE_COMPLETE"
        assert not readable(bench, SECRET)

    def test_abandoning_and_adopting(self, bench: Workbench) -> None:
        document = template(
            {"a": {**probe({"get_param": "password"}), "metadata": {"note": {"get_param": "password"}}}},
            parameters=HIDDEN,
        )
        stack = created(bench, document, parameters={"password": SECRET})

        left = bench.commands.transfers.abandon(CALLER, stack)

        assert left["resources"]["a"]["metadata"] == {"note": SECRET}
        request = {"template": left["template"], "environment": left["environment"]}
        adopted = bench.wait(bench.commands.transfers.adopt(CALLER, NewStack("again", request), left))
        assert adopted.state == "ADOPT_COMPLETE", adopted.reason
        assert bench.resources(adopted)["a"].metadata == {"note": SECRET}
        assert not readable(bench, SECRET)

    def test_reasons(self, bench: Workbench) -> None:
        document = template({"a": probe({"get_param": "password"})}, parameters=HIDDEN)
        stack = created(bench, document, parameters={"password": SECRET})

        bench.commands.resources.mark_unhealthy(
            CALLER, stack, bench.resources(stack)["a"], True, f"{SECRET} is wrong"
        )

        assert bench.resources(stack)["a"].reason == f"{SECRET} is wrong"
        assert bench.reasons(stack, "a")[-1] == f"{SECRET} is wrong"
        assert not readable(bench, SECRET)

    def test_documents_that_look_encrypted_are_read_as_they_were_given(self, bench: Workbench) -> None:
        stack = created(bench, template({"a": {**probe(), "metadata": {"~sealed": "not really"}}}))

        assert bench.resources(stack)["a"].metadata == {"~sealed": "not really"}


class TestEncryptingEverything:
    @pytest.fixture
    def strict(self, database_url: str) -> Iterator[Workbench]:
        made = Workbench(database_url, seal_all=True)
        yield made
        made.close()

    def test_nothing_of_any_stack_can_be_read(self, strict: Workbench) -> None:
        document = everywhere()
        document["parameters"] = {"password": {"type": "string"}}
        stack = created(strict, document, files=FILES, parameters={"password": SECRET})

        updated(strict, stack, document, files=FILES, parameters={"password": NEWER})

        assert not readable(strict, SECRET)
        assert not readable(strict, NEWER)

    def test_stacks_from_before_go_on(self, bench: Workbench) -> None:
        stack = created(bench, template({"a": probe("first"), "b": probe("same")}))
        everything = database.connect(bench.url, bench.cipher, seal_all=True)
        Probe.journal.clear()

        bench.use_database(everything)
        stack = updated(bench, stack, template({"a": probe(SECRET), "b": probe("same")}))

        assert stack.sealed
        assert Probe.journal == [("update", "a", SECRET)]
        assert not readable(bench, SECRET)
        everything.dispose()
