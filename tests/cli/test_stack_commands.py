"""Stacks on the command line: they come, change, go, and are looked at."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
import yaml

from tests.cli.fake_service import Reply, StandIn, refusal, reported
from tests.cli.fake_service import stack as stack_shown
from tests.cli.invocation import Run, eventually


class TestCreating:
    def test_shows_what_happens_and_then_the_outputs(self, calor: Run) -> None:
        ran = calor("stack", "create", "-t", "outer.yaml", "-P", "word=good day", "told")

        assert ran.code == 0
        assert any(line.endswith("[told]: CREATE_IN_PROGRESS  Stack CREATE started") for line in ran.lines)
        assert any(line.endswith("[told.inner.deep]: CREATE_COMPLETE  state changed") for line in ran.lines)
        assert ran.lines[-2].endswith("CREATE_COMPLETE")
        assert ran.lines[-1] == "  said = good day"

    def test_further_lines_of_an_output_are_indented(self, calor: Run, templates: Path) -> None:
        (templates / "lines.yaml").write_text(
            'heat_template_version: 2018-08-31\noutputs: {log: {value: "one\\ntwo\\n"}, next: {value: x}}\n'
        )

        assert calor("stack", "create", "-t", "lines.yaml", "lined").lines[-3:] == [
            "  log = one",
            "    two",
            "  next = x",
        ]

    def test_data_for_programs_is_not_mixed_with_progress(self, calor: Run) -> None:
        ran = calor("stack", "create", "-t", "outer.yaml", "asjson", "--format", "json")

        assert json.loads(ran.out)["stack_status"] == "CREATE_COMPLETE"
        assert "[asjson.first]: CREATE_COMPLETE" in ran.err

    def test_a_failure_ends_with_one_and_names_file_and_line(self, calor: Run) -> None:
        ran = calor("stack", "create", "-t", "broken.yaml", "failing")

        assert ran.code == 1
        failed = next(line for line in ran.lines if "[failing.below.deep]: CREATE_FAILED" in line)
        assert failed.endswith("(inner.yaml:5)")
        assert len(ran.complaints) == 1
        assert "calor stack failures failing" in ran.err

    def test_a_template_that_is_refused_is_explained_with_all_its_errors(
        self, calor: Run, templates: Path
    ) -> None:
        lines = [
            "heat_template_version: 2018-08-31",
            "resources:",
            "  a: {type: OS::Heat::Nonesuch}",
            "  b: {type: OS::Heat::Value, properties: {valu: 1}}",
        ]
        (templates / "wrong.yaml").write_text("\n".join(lines))
        ran = calor("stack", "create", "-t", "wrong.yaml", "wrong")

        assert ran.code == 1
        assert "wrong.yaml:3:" in ran.err
        assert "wrong.yaml:4:" in ran.err
        assert "did you mean `value`?" in ran.err

    def test_what_the_cloud_does_not_have_is_reported_with_its_place_and_what_it_has(
        self, calor: Run, templates: Path
    ) -> None:
        lines = [
            "heat_template_version: 2018-08-31",
            "parameters:",
            "  net: {type: string, default: heatnet, constraints: [{custom_constraint: neutron.network}]}",
            "resources:",
            "  server:",
            "    type: OS::Nova::Server",
            "    properties: {networks: [{network: heat-net}], flavor: m1.tinny}",
        ]
        (templates / "lacking.yaml").write_text("\n".join(lines))

        about_a_parameter = calor("stack", "create", "-t", "lacking.yaml", "lacking")
        about_a_property = calor("stack", "create", "-t", "lacking.yaml", "-P", "net=heat-net", "lacking")

        assert "lacking.yaml:3:" in about_a_parameter.err
        assert "The network (heatnet) could not be found. Did you mean heat-net?" in about_a_parameter.err
        assert "lacking.yaml:7:" in about_a_property.err
        assert "The flavor (m1.tinny) could not be found. Did you mean m1.tiny?" in about_a_property.err

    def test_a_value_that_the_cloud_does_not_have_is_reported_once_where_it_is_given(
        self, calor: Run, templates: Path
    ) -> None:
        one = [
            "heat_template_version: 2018-08-31",
            "parameters: {size: {type: string}}",
            "resources:",
            "  server:",
            "    type: OS::Nova::Server",
            "    properties: {networks: [{network: heat-net}], image: debian-12, flavor: {get_param: size}}",
        ]
        (templates / "one.yaml").write_text("\n".join(one))
        all_of_them = [
            "heat_template_version: 2018-08-31",
            "parameters:",
            "  size: {type: string, constraints: [{custom_constraint: nova.flavor}]}",
            "resources:",
            "  a: {type: one.yaml, properties: {size: {get_param: size}}}",
        ]
        (templates / "tier.yaml").write_text("\n".join(all_of_them))

        ran = calor("stack", "create", "-t", "tier.yaml", "-P", "size=m1.tinny", "tier")

        assert ran.complaints == [
            "calor: tier.yaml:3:3: Parameter 'size' is invalid: Error validating value 'm1.tinny': "
            "The flavor (m1.tinny) could not be found. Did you mean m1.tiny?"
        ]

    def test_no_wait_comes_back_at_once(self, calor: Run) -> None:
        ran = calor("stack", "create", "-t", "outer.yaml", "-P", "secs=3600", "slow", "--no-wait")

        assert ran.code == 0
        assert ran.lines[0].endswith("CREATE_IN_PROGRESS")
        assert calor("stack", "delete", "-y", "slow", "--no-wait").code == 0

    def test_a_dry_run_creates_nothing(self, calor: Run) -> None:
        ran = calor("stack", "create", "-t", "outer.yaml", "dry", "--dry-run")

        assert ran.code == 0
        assert "+ create first" in ran.out
        assert "+ create inner/deep" in ran.out
        assert calor("stack", "show", "dry").code == 1

    def test_environments_files_and_lists_reach_the_service(self, calor: Run, templates: Path) -> None:
        (templates / "env.yaml").write_text(
            "resource_registry: {My::Type: inner.yaml}\nparameters: {many: a}\n"
        )
        (templates / "t.yaml").write_text(
            "heat_template_version: 2018-08-31\n"
            "parameters: {many: {type: comma_delimited_list}, text: {type: string}}\n"
            "resources: {mine: {type: My::Type}}\n"
            "outputs: {many: {value: {get_param: many}}, text: {value: {get_param: text}}}\n"
        )
        (templates / "text").write_text("from a file")
        words = (
            "-e",
            "env.yaml",
            "--parameter",
            "many=x",
            "--parameter",
            "many=y",
            "--parameter-file",
            "text=text",
        )

        ran = calor("stack", "create", "-t", "t.yaml", *words, "gathered")

        assert ran.code == 0
        assert '  many = ["x", "y"]' in ran.lines
        assert "  text = from a file" in ran.lines
        assert "deep" in calor("stack", "resource", "list", "gathered", "-n", "2", "-f", "value").out

    def test_a_breakpoint_holds_also_with_environments(self, calor: Run, templates: Path) -> None:
        (templates / "env.yaml").write_text("parameters: {word: x}\n")
        calor(
            "stack",
            "create",
            "-t",
            "outer.yaml",
            "-e",
            "env.yaml",
            "--pre-create",
            "inner/deep",
            "held",
            "--no-wait",
        )

        def waiting() -> str:
            return calor("stack", "hook", "poll", "held", "-n", "2", "-f", "value", "-c", "resource_name").out

        end = time.monotonic() + 30
        while not waiting() and time.monotonic() < end:
            time.sleep(0.1)
        assert waiting() == "deep\n"

        assert calor("stack", "hook", "clear", "held", "inner/*").code == 0
        while (
            "CREATE_COMPLETE" not in calor("stack", "show", "held", "-f", "value", "-c", "stack_status").out
        ):
            assert time.monotonic() < end
            time.sleep(0.1)
        assert waiting() == ""


class TestUpdating:
    def test_shows_the_plan_and_goes_on_without_asking_if_requested(self, calor: Run, stack: str) -> None:
        ran = calor("stack", "update", "--yes", "-t", "outer.yaml", "--parameter", "word=bye", stack)

        assert ran.code == 0
        assert ran.lines[0].startswith("~ update first")
        assert f"[{stack}.first]: UPDATE_COMPLETE" in ran.out
        assert "CREATE_IN_PROGRESS" not in ran.out
        assert ran.lines[-1] == "  said = bye"

    def test_with_existing_no_template_is_needed(self, calor: Run, stack: str) -> None:
        ran = calor("stack", "update", "--existing", "--parameter", "word=kept", stack, "--yes")

        assert ran.code == 0
        assert ran.lines[-1] == "  said = kept"

    def test_without_a_template_it_shows_what_to_do(self, calor: Run, stack: str) -> None:
        ran = calor("stack", "update", stack)

        assert (ran.code, ran.out) == (2, "")
        assert "--existing" in ran.err

    def test_a_dry_run_changes_nothing(self, calor: Run, stack: str) -> None:
        ran = calor("stack", "update", "-t", "inner.yaml", stack, "--dry-run", "-f", "json")

        states = {one["resource_name"]: one["state"] for one in json.loads(ran.out)}
        assert states.pop("inner/deep", "deleted") == "deleted"
        assert states == {"deep": "added", "first": "deleted", "second": "deleted", "inner": "deleted"}
        assert calor("stack", "output", "show", stack, "said", "-f", "value").out == "hello\n"

    def test_a_dry_run_as_data_has_the_values_before_and_after(self, calor: Run, stack: str) -> None:
        words = ("stack", "update", "-t", "outer.yaml", "-P", "word=x", stack, "--dry-run")

        found = {one["resource_name"]: one for one in json.loads(calor(*words, "-f", "json").out)}

        assert found["first"]["changes"] == [{"property": "value", "before": "hello", "after": "x"}]
        assert calor(*words, "-f", "value", "-c", "changes").lines[0].startswith('[{"property": "value"')
        assert "changes" not in calor(*words, "-f", "csv").lines[0]

    def test_the_exit_code_of_a_plan_shows_whether_something_changes(self, calor: Run, stack: str) -> None:
        plan = ("stack", "update", "-t", "outer.yaml", stack, "--dry-run")

        assert calor(*plan, "-P", "word=x").code == 0
        assert calor(*plan, "-P", "word=x", "--detailed-exitcode").code == 2
        assert calor(*plan, "--detailed-exitcode").code == 0
        assert calor(*plan, "--detailed-exitcode", "-P", "wrod=x").code == 1
        assert calor(*plan, "--detailed-exitcode", "--unknown").code == 1
        assert calor(*plan, "--unknown").code == 2
        assert calor("stack", "preview", stack, "-t", "outer.yaml", "--detailed-exitcode").code == 0
        assert (
            calor("stack", "create", "new", "-t", "outer.yaml", "--dry-run", "--detailed-exitcode").code == 2
        )
        assert calor("stack", "update", "-t", "outer.yaml", stack, "--detailed-exitcode").code == 1

    def test_preview_of_a_stack_that_exists_is_that_of_an_update(self, calor: Run, stack: str) -> None:
        assert "~ update first" in calor("stack", "preview", stack, "-t", "outer.yaml", "-P", "word=x").out

    def test_what_failed_can_be_tried_once_more(self, calor: Run, templates: Path) -> None:
        assert calor("stack", "create", "-t", "broken.yaml", "again").code == 1
        ran = calor("stack", "retry", "again")
        assert ran.code == 1
        assert "[again.below.deep]: CREATE_FAILED" in ran.out
        assert "[again.fine]" not in ran.out
        assert calor("stack", "delete", "-y", "again").code == 0

    def test_there_must_be_something_to_try_once_more(self, calor: Run, stack: str) -> None:
        ran = calor("stack", "retry", stack)

        assert ran.code == 1
        assert "nothing to retry" in ran.err


class TestDeleting:
    def test_cloud_and_project_are_named_before(self, calor: Run, stack: str) -> None:
        ran = calor("stack", "delete", "-y", stack)

        assert ran.code == 0
        assert ran.err.startswith(f"Deleting from cloud calor, project demo: {stack} (")
        assert f"[{stack}]: DELETE_COMPLETE" in ran.out
        assert calor("stack", "show", stack).code == 1

    def test_those_that_exist_go_even_if_one_does_not(self, calor: Run, stack: str) -> None:
        ran = calor("stack", "delete", "-y", "missing", stack)

        assert ran.code == 1
        assert "there is no stack missing" in ran.complaints[-1]
        assert calor("stack", "show", stack).code == 1


class TestActions:
    @pytest.mark.parametrize("action", ["check", "suspend"])
    def test_are_waited_for(self, calor: Run, stack: str, action: str) -> None:
        ran = calor("stack", action, stack)

        assert ran.code == 0
        assert f"{action.upper()}_COMPLETE" in ran.out

    def test_what_was_suspended_is_resumed(self, calor: Run, stack: str) -> None:
        calor("stack", "suspend", stack)

        assert "RESUME_COMPLETE" in calor("stack", "resume", stack).out

    def test_a_creation_is_cancelled(self, calor: Run) -> None:
        calor("stack", "create", "-t", "outer.yaml", "-P", "secs=3600", "stopped", "--no-wait")

        ran = calor("stack", "cancel", "--no-rollback", "stopped")

        assert ran.code == 0
        assert "CREATE_FAILED" in ran.out
        calor("stack", "delete", "-y", "stopped", "--no-wait")

    def test_a_snapshot_is_taken_and_gone_back_to(self, calor: Run, stack: str) -> None:
        made = json.loads(calor("stack", "snapshot", "create", stack, "--name", "before", "-f", "json").out)
        calor("stack", "update", "-y", "--existing", "--parameter", "word=after", stack)

        assert made["status"] == "COMPLETE"
        assert "before" in calor("stack", "snapshot", "list", stack).out
        assert calor("stack", "snapshot", "restore", stack, made["id"]).code == 0
        assert calor("stack", "output", "show", stack, "said", "-f", "value").out == "hello\n"
        assert calor("stack", "snapshot", "delete", "-y", stack, made["id"]).code == 0

    def test_a_stack_changes_hands(self, calor: Run, stack: str, templates: Path) -> None:
        assert calor("stack", "export", stack, "--output-file", "data.json").code == 0
        assert json.loads((templates / "data.json").read_text())["name"] == stack
        assert calor("stack", "abandon", stack, "--output-file", "data.json", "--yes").code == 0

        ran = calor("stack", "adopt", "--adopt-file", "data.json", stack)

        assert ran.code == 0
        assert "ADOPT_COMPLETE" in ran.out


class TestAbandoning:
    @pytest.fixture
    def abandoned(self, service: StandIn) -> StandIn:
        service.has("web")
        service.says("DELETE /stacks/web/web-id/abandon", reported({"name": "web"}))
        return service

    def test_writes_what_is_needed_to_adopt_it(
        self, command: Run, abandoned: StandIn, templates: Path
    ) -> None:
        (templates / "data.json").write_text("something longer than what comes")

        assert command("stack", "abandon", "-y", "--output-file", "data.json", "web").code == 0
        assert json.loads((templates / "data.json").read_text()) == {"name": "web"}

    def test_nobody_else_reads_the_data(self, command: Run, abandoned: StandIn, templates: Path) -> None:
        assert command("stack", "abandon", "-y", "--output-file", "new.json", "web").code == 0
        assert (templates / "new.json").stat().st_mode & 0o777 == 0o600

    @pytest.mark.parametrize("before", ["kept", None])
    def test_leaves_a_file_as_it_is_if_the_service_refuses(
        self, command: Run, abandoned: StandIn, templates: Path, before: str | None
    ) -> None:
        abandoned.says("DELETE /stacks/web/web-id/abandon", refusal(409))
        file = templates / "data.json"
        if before is not None:
            file.write_text(before)

        assert command("stack", "abandon", "-y", "--output-file", "data.json", "web").code == 1
        assert (file.read_text() if file.exists() else None) == before

    @pytest.mark.parametrize("path", [".", "no/such/folder", "data\0.json"])
    def test_is_not_begun_if_the_file_cannot_be_written(
        self, command: Run, abandoned: StandIn, path: str
    ) -> None:
        ran = command("stack", "abandon", "-y", "--output-file", path, "web")

        assert ran.code == 1
        assert ran.complaints[-1].startswith(f"calor: {path} cannot be written: ")
        assert abandoned.times("DELETE /stacks/web/web-id/abandon") == 0

    def test_prints_what_cannot_be_written_in_the_end(self, command: Run, abandoned: StandIn) -> None:
        ran = command("stack", "abandon", "-y", "--output-file", "/dev/full", "web")

        assert ran.code == 1
        assert json.loads(ran.out) == {"name": "web"}
        assert ran.complaints[-1] == (
            "calor: /dev/full cannot be written: No space left on device "
            "(the data was written to standard output instead)"
        )


class TestLooking:
    def test_a_list_in_all_forms(self, calor: Run, stack: str) -> None:
        words = (
            "stack",
            "list",
            "--property",
            f"stack_name={stack}",
            "-c",
            "Stack Name",
            "-c",
            "stack_status",
        )
        row = {"Stack Name": stack, "Stack Status": "CREATE_COMPLETE"}

        assert json.loads(calor(*words, "-f", "json").out) == [row]
        assert yaml.safe_load(calor(*words, "-f", "yaml").out) == [row]
        assert calor(*words, "-f", "value").out == f"{stack} CREATE_COMPLETE\n"
        assert calor(*words, "-f", "csv").lines == [
            '"Stack Name","Stack Status"',
            f'"{stack}","CREATE_COMPLETE"',
        ]
        table = calor(*words, "-f", "table").lines
        assert table[0] == table[2] == table[-1] == f"+{'-' * (len(stack) + 2)}+-----------------+"
        assert table[3] == f"| {stack} | CREATE_COMPLETE |"

    def test_a_column_that_is_not_there_is_named_with_those_that_are(self, calor: Run) -> None:
        ran = calor("stack", "list", "-c", "colour")

        assert ran.code == 2
        assert "there is no column colour (there are ID, Stack Name" in ran.err

    def test_a_list_in_pages_is_whole(self, calor: Run, stack: str) -> None:
        one = calor("stack", "list", "--limit", "1", "-f", "value").out

        assert len(one.splitlines()) == 1

    def test_a_stack_an_output_a_template(self, calor: Run, stack: str) -> None:
        shown = json.loads(calor("stack", "show", stack, "-f", "json").out)
        assert shown["stack_name"] == stack
        assert shown["outputs"][0]["output_value"] == "hello"
        without = json.loads(calor("stack", "show", shown["id"], "--no-resolve-outputs", "-f", "json").out)
        assert "outputs" not in without

        assert "what was said" in calor("stack", "output", "list", stack).out
        assert json.loads(calor("stack", "output", "show", stack, "--all", "-f", "json").out)["said"]
        assert "first" in yaml.safe_load(calor("stack", "template", "show", stack).out)["resources"]
        assert "parameters" in yaml.safe_load(calor("stack", "environment", "show", stack).out)
        assert any("inner.yaml" in name for name in yaml.safe_load(calor("stack", "file", "list", stack).out))

    def test_resources_and_events(self, calor: Run, stack: str) -> None:
        words = (
            "stack",
            "resource",
            "list",
            stack,
            "--filter",
            "name=first",
            "-f",
            "value",
            "-c",
            "resource_name",
        )
        assert calor(*words).out == "first\n"
        shown = calor("stack", "resource", "show", stack, "first", "--with-attr", "output", "-f", "json").out
        assert json.loads(shown)["attributes"]["output"] == "hello"
        assert calor("stack", "resource", "metadata", stack, "first").out == "{}\n"

        log = calor("stack", "event", "list", stack, "--nested-depth", "2").lines
        found = json.loads(calor("stack", "event", "list", stack, "-f", "json").out)
        time = found[0]["event_time"].replace("T", " ")
        assert log[0] == f"{time} {found[0]['id']} [{stack}]: CREATE_IN_PROGRESS  Stack CREATE started"
        assert any(f"[{stack}.inner.deep]: CREATE_COMPLETE" in line for line in log)
        event = calor(
            "stack", "event", "show", stack, found[1]["resource_name"], found[1]["id"], "-f", "json"
        ).out
        assert json.loads(event)["id"] == found[1]["id"]

    def test_a_resource_is_marked_and_recreated(self, calor: Run, stack: str) -> None:
        assert calor("stack", "resource", "mark-unhealthy", stack, "second", "it smells").code == 0
        assert "CHECK_FAILED" in calor("stack", "resource", "list", stack).out
        assert calor("stack", "resource", "mark", "unhealthy", stack, "second", "--reset").code == 0
        assert "CHECK_COMPLETE" in calor("stack", "resource", "list", stack).out

    def test_data_of_a_signal_has_to_be_an_object(self, calor: Run, stack: str) -> None:
        assert calor("stack", "resource", "signal", stack, "first", "--data", "[1]").code == 2
        ran = calor("stack", "resource", "signal", stack, "first", "--data", '{"a": 1}')
        assert ran.code == 1
        assert len(ran.complaints) == 1

    def test_the_service_validates(self, calor: Run) -> None:
        ran = calor("stack", "validate", "-t", "outer.yaml", "-f", "json")

        assert json.loads(ran.out)["Parameters"]["word"]["Default"] == "hello"

    def test_what_the_service_offers(self, calor: Run) -> None:
        types = calor("resource-type", "list", "--filter", "name=OS::Heat::Test", "-f", "value").out
        assert types == "OS::Heat::TestResource\n"
        assert "properties" in calor("resource-type", "show", "OS::Heat::TestResource").out
        made = calor("resource-type", "show", "OS::Heat::TestResource", "--template-type", "hot").out
        assert "heat_template_version" in made
        assert "up" in calor("service", "list", "--os-cloud", "calor-admin").out
        assert calor("orchestration", "build", "info").code == 0
        assert "heat_template_version.2018-08-31" in calor("service", "template-versions").out
        assert "str_replace" in calor("service", "functions", "heat_template_version.2018-08-31").out


def test_a_template_may_come_from_standard_input(shell: Run) -> None:
    made = shell(
        "calor stack create -t - piped < outer.yaml && calor stack update --yes -t - piped < outer.yaml"
    )

    assert made.code == 0, made.err
    assert "UPDATE_COMPLETE" in made.out
    wrong = shell("sed 's/word: /wrd: /' outer.yaml | calor stack create -t - wrong")
    assert wrong.code == 1
    assert wrong.err.startswith("calor: -:9:15: ")


class TestErrors:
    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (("stack", "show", "nothing"), "calor: there is no stack nothing"),
            (("stack", "create", "-t", "gone.yaml", "x"), "calor: gone.yaml cannot be read: No such file"),
            (("stack", "create", "-t", "outer.yaml", "-P", "word", "x"), "calor: `word` is not a parameter"),
            (
                ("stack", "create", "-t", "outer.yaml", "-P", "colour=red", "x"),
                "calor: outer.yaml:2:1: the template has no parameter `colour`",
            ),
            (("stack", "creat"), "calor stack: there is no command creat; did you mean create?"),
            (("stack", "list", "--limit", "many"), "calor stack list: argument --limit"),
            (
                ("stack", "list", "--nonsense"),
                "calor stack list: unrecognized arguments: --nonsense (see `calor stack list --help`)",
            ),
            (
                ["stack", "delete", "-f", "web"],
                "calor stack delete: unrecognized arguments: -f; --yes skips the question "
                "(see `calor stack delete --help`)",
            ),
            (("config", "show", "nothing"), "calor: "),
            (("stack", "list", "--os-cloud", "elsewhere"), "calor: there is no cloud elsewhere"),
        ],
    )
    def test_are_one_line(self, calor: Run, words: tuple[str, ...], said: str) -> None:
        ran = calor(*words)

        assert ran.code in (1, 2)
        assert ran.err.startswith(said)
        assert len(ran.complaints) == 1
        assert ran.out == ""

    def test_a_parameter_that_the_template_has_not_is_wrong_where_an_environment_gives_it(
        self, calor: Run, templates: Path
    ) -> None:
        (templates / "given.yaml").write_text("parameters:\n  word: hello\n  wrod: bye\n")

        made = calor("stack", "create", "-t", "outer.yaml", "-e", "given.yaml", "x")
        checked = calor("template", "validate", "outer.yaml", "-e", "given.yaml")

        assert made.err.startswith("calor: given.yaml:3:3: the template has no parameter `wrod`")
        assert "given.yaml:3:3: " in checked.out
        assert "declared" not in made.err + checked.out

    @pytest.mark.parametrize("section", ["parameters", "parameter_defaults"])
    def test_a_value_against_a_constraint_is_wrong_where_an_environment_gives_it(
        self, calor: Run, templates: Path, section: str
    ) -> None:
        (templates / "limited.yaml").write_text(
            "heat_template_version: 2018-08-31\n"
            "parameters:\n"
            "  size: {type: number, default: 1, constraints: [{range: {max: 3}}]}\n"
        )
        (templates / "early.yaml").write_text(f"{section}: {{size: 8}}\n")
        (templates / "late.yaml").write_text(f"{section}:\n  size: 9\n")
        both = ("-t", "limited.yaml", "-e", "early.yaml", "-e", "late.yaml")

        made = calor("stack", "create", *both, "x")
        checked = calor("template", "validate", "limited.yaml", "-e", "early.yaml", "-e", "late.yaml")
        overridden = calor("stack", "create", *both, "-P", "size=7", "x")

        assert made.err.startswith("calor: late.yaml:2:3: Parameter 'size' is invalid: ")
        assert "it is declared at limited.yaml:3:3" in made.err
        assert "late.yaml:2:3: " in checked.out
        assert overridden.err.startswith("calor: limited.yaml:3:3: ")

    def test_all_that_is_wrong_with_files_is_reported(self, calor: Run, templates: Path) -> None:
        (templates / "two.yaml").write_text(
            "heat_template_version: 2018-08-31\nresources: {a: {type: no.yaml}, b: {type: nor.yaml}}\n"
        )

        ran = calor("stack", "create", "-t", "two.yaml", "x")

        assert ran.code == 1
        assert [line.split(":")[:2] for line in ran.complaints[:2]] == [["two.yaml", "2"], ["two.yaml", "2"]]

    def test_a_name_that_is_taken_has_a_hint(self, calor: Run, stack: str) -> None:
        ran = calor("stack", "create", "-t", "outer.yaml", stack)

        assert ran.code == 1
        assert "`calor stack update` changes it" in ran.err

    @pytest.mark.parametrize(
        ("variable", "address"),
        [("OS_AUTH_URL", "http://[bad"), ("HEAT_URL", "http://[bad"), ("HEAT_URL", "http://host:port")],
    )
    def test_an_address_that_is_none_is_reported(
        self, command: Run, monkeypatch: pytest.MonkeyPatch, variable: str, address: str
    ) -> None:
        monkeypatch.setenv(variable, address)
        if variable == "HEAT_URL":
            monkeypatch.setenv("OS_NO_CLIENT_AUTH", "1")

        ran = command("stack", "list", "--os-username", "x", "--os-password", "y")

        assert (ran.code, len(ran.complaints)) == (1, 1)
        assert ran.err.startswith(f"calor: {address} does not answer: ")

    @pytest.mark.parametrize("body", [b"<html>Welcome</html>", b""])
    def test_a_page_of_the_web_is_not_taken_for_a_service(
        self, command: Run, service: StandIn, body: bytes
    ) -> None:
        service.says("GET /stacks", Reply(200, body))

        ran = command("stack", "list")

        assert (ran.code, len(ran.complaints)) == (1, 1)
        assert ran.err.startswith(f"calor: {service.url} is not the URL of an orchestration API")

    def test_an_acceptance_in_words_is_one(self, command: Run, service: StandIn) -> None:
        service.has("web", stack_shown("web", "CHECK_COMPLETE"))
        service.says("POST /stacks/web/web-id/actions", Reply(202, b"The request is accepted."))

        assert command("stack", "check", "--no-wait", "web").code == 0

    def test_a_server_that_does_not_run_is_reported(
        self, calor: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HEAT_URL", "http://127.0.0.1:1/v1/p")
        monkeypatch.setenv("OS_NO_CLIENT_AUTH", "1")

        ran = calor("stack", "list")

        assert ran.err == (
            "calor: http://127.0.0.1:1 does not answer: Connection refused "
            "(is the server running? `calor serve` starts one)\n"
        )


class TestAskingWithoutATerminal:
    UPDATE = "calor stack update -t outer.yaml -P word=x {}"
    COMMANDS = (UPDATE, "calor stack delete {}", "calor stack abandon {}")

    def value(self, calor: Run, stack: str) -> str:
        return calor("stack", "output", "show", stack, "said", "-f", "value").out.strip()

    @pytest.mark.parametrize("line", COMMANDS, ids=["update", "delete", "abandon"])
    def test_an_answer_that_is_not_yes_stops_it(self, calor: Run, shell: Run, stack: str, line: str) -> None:
        ran = shell(f"echo n | {line.format(stack)}")

        assert ran.code == 1
        assert "nothing was done: the answer was not yes" in ran.err
        assert self.value(calor, stack) == "hello"

    @pytest.mark.parametrize("line", COMMANDS, ids=["update", "delete", "abandon"])
    @pytest.mark.parametrize("redirected", ["</dev/null", "<&-"], ids=["empty", "closed"])
    def test_without_an_answer_it_has_to_be_confirmed_beforehand(
        self, calor: Run, shell: Run, stack: str, line: str, redirected: str
    ) -> None:
        ran = shell(f"{line.format(stack)} {redirected}")

        assert ran.code == 1
        assert ran.complaints[-1].endswith(
            "nothing was done: standard input has no answer (--yes skips the question)"
        )
        assert self.value(calor, stack) == "hello"

    def test_a_template_on_standard_input_is_not_an_answer(self, calor: Run, shell: Run, stack: str) -> None:
        assert shell(f"calor stack update -t - -P word=x {stack} < outer.yaml").code == 1
        assert self.value(calor, stack) == "hello"

    def test_yes_goes_on(self, calor: Run, shell: Run, stack: str) -> None:
        assert shell(f"echo y | {self.UPDATE.format(stack)}").code == 0
        assert self.value(calor, stack) == "x"
        assert shell(f"yes | calor stack delete {stack}").code == 0
        assert calor("stack", "show", stack).code == 1

    def test_the_old_spelling_asks_only_on_a_terminal(self, calor: Run, shell: Run, stack: str) -> None:
        assert shell(f"heat stack-delete {stack} </dev/null").code == 0
        assert eventually(lambda: calor("stack", "show", stack).code == 1)
