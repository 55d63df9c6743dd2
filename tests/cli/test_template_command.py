"""`calor template …` as its users meet it: what it prints, and the exit codes that scripts rely on."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from calor import __version__
from calor.cli.main import main
from calor.language.codes import CODES
from calor.language.versions import ALL_VERSIONS
from calor.types import catalogue

GOOD = """\
heat_template_version: 2021-04-16
parameters:
  size: {type: number, default: 8}
resources:
  code: {type: OS::Heat::RandomString, properties: {length: {get_param: size}}}
outputs:
  code: {value: {get_attr: [code, value]}}
"""
BAD = """\
heat_template_version: 2021-04-16
resources:
  code: {type: OS::Heat::RandomString, properties: {lenght: 8}}
  copy: {type: OS::Heat::TestResource, properties: {value: {get_resource: cod}}}
"""
CARELESS = """\
heat_template_version: 2021-04-16
parameters:
  unused: {type: string, default: x}
conditions:
  never: {equals: [a, b]}
"""
SECRET = """\
heat_template_version: 2021-04-16
parameters:
  name: {type: string, default: web}
  password: {type: string, hidden: true, default: hush-hush}
  tags: {type: comma_delimited_list, default: ''}
resources:
  r: {type: OS::Heat::TestResource, properties: {value: {get_param: password}}}
outputs:
  login: {value: {list_join: [':', [{get_param: name}, {get_param: password}]]}}
  stack: {value: {get_param: 'OS::stack_name'}}
  tags: {value: {get_param: tags}}
"""
CHAIN = """\
heat_template_version: 2021-04-16
resources:
  one: {type: OS::Heat::TestResource, properties: {value: a}}
  two: {type: OS::Heat::TestResource, properties: {value: {get_resource: one}}}
  three: {type: OS::Heat::TestResource, depends_on: two}
"""
ENVIRONMENT = "parameters: {size: 12}\n"


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def data(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Outcome]
Write = Callable[[str, str], str]


@pytest.fixture
def calor(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `calor template …` in this process."""

    def run(*arguments: str) -> Outcome:
        try:
            code = main(["template", *arguments])
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        printed = capsys.readouterr()
        return Outcome(code, printed.out, printed.err)

    return run


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Puts a file into the current folder, which is empty."""
    monkeypatch.chdir(tmp_path)

    def put(name: str, text: str) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return name

    return put


def in_its_own_process(arguments: Sequence[str], **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "calor", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        **more,
    )


class TestValidate:
    def test_a_good_template(self, calor: Run, write: Write) -> None:
        assert calor("validate", write("t.yaml", GOOD)) == Outcome(0, "no problems found in 1 file\n", "")

    def test_all_errors_are_reported_at_once_with_their_places(self, calor: Run, write: Write) -> None:
        done = calor("validate", write("t.yaml", BAD))

        assert done.code == 1
        assert (
            done.lines[0] == "t.yaml:3:53: error E410 there is no property `lenght` (did you mean `length`?)"
        )
        assert done.lines[1].startswith("t.yaml:4:")
        assert done.lines[1].endswith(": error E403 there is no resource `cod` (did you mean `code`?)")
        assert done.lines[2:] == ["2 errors in 1 file"]

    def test_an_empty_file_is_named(self, calor: Run, write: Write) -> None:
        done = calor("validate", write("empty.yaml", ""))

        assert done.lines[0].startswith("empty.yaml:1:1: error E110 ")

    def test_warnings_alone_are_not_a_failure(self, calor: Run, write: Write) -> None:
        done = calor("validate", write("t.yaml", CARELESS))

        assert done.code == 0
        assert [line.split()[1:3] for line in done.lines[:-1]] == [["warning", "W301"], ["warning", "W302"]]
        assert done.lines[-1] == "2 warnings in 1 file"

    def test_parameters_without_values_are_not_asked_for(self, calor: Run, write: Write) -> None:
        text = GOOD.replace(", default: 8", "")

        assert calor("validate", write("t.yaml", text)).code == 0

    def test_values_that_are_given_are_checked(self, calor: Run, write: Write) -> None:
        done = calor("validate", write("t.yaml", GOOD), "-P", "size=tall")

        assert done.code == 1
        assert "E209" in done.out

    def test_several_files(self, calor: Run, write: Write) -> None:
        done = calor(
            "validate", write("good.yaml", GOOD), write("bad.yaml", BAD), write("careless.yaml", CARELESS)
        )

        assert done.code == 1
        assert [line.split(":")[0] for line in done.lines[:-1]] == ["bad.yaml"] * 2 + ["careless.yaml"] * 2
        assert done.lines[-1] == "2 errors, 2 warnings in 3 files"

    def test_a_problem_of_a_file_used_twice_is_reported_once(self, calor: Run, write: Write) -> None:
        write("child.yaml", CARELESS)
        user = "heat_template_version: 2021-04-16\nresources: {r: {type: child.yaml}}\n"
        done = calor("validate", write("a.yaml", user), write("b.yaml", user), "--select", "W301")

        assert done.lines[0].startswith("child.yaml:3:3: warning W301")
        assert done.lines[1:] == ["1 warning in 2 files"]

    def test_a_folder_stands_for_the_templates_and_environments_in_it(self, calor: Run, write: Write) -> None:
        write("stacks/good.yaml", GOOD)
        write("stacks/deep/er/bad.template", BAD)
        write("stacks/env.yaml", "parameters:\n")
        write("stacks/values.yaml", "replicas: 3\n")
        write("stacks/notes.txt", BAD)
        write("stacks/.hidden/bad.yaml", BAD)
        write("stacks/node_modules/bad.yaml", BAD)

        done = calor("validate", "stacks")

        assert done.code == 1
        places = [line.split(": ")[0].split(":")[:2] for line in done.lines[:-1]]
        assert places == [
            ["stacks/deep/er/bad.template", "3"],
            ["stacks/deep/er/bad.template", "4"],
            ["stacks/env.yaml", "1"],
        ]
        assert done.lines[-1] == "3 errors in 3 files"

    def test_a_template_that_cannot_be_read_is_not_left_out_of_a_folder(
        self, calor: Run, write: Write
    ) -> None:
        write("stacks/broken.yaml", "heat_template_version: 2021-04-16\nresources: [\n")
        os.symlink("nowhere", "stacks/dangling.yaml")

        done = calor("validate", "stacks")

        assert done.code == 1
        assert sorted(line.split(" ")[2] for line in done.lines[:-1] if " error " in line) == ["E101"]
        assert "error E501 stacks/dangling.yaml cannot be read" in done.out

    def test_environments_are_applied(self, calor: Run, write: Write) -> None:
        template = write("t.yaml", GOOD)
        too_long = write("long.yaml", "parameters: {size: 9999}\n")

        assert calor("validate", template, "-e", write("e.yaml", ENVIRONMENT)).code == 0
        assert "E415" in calor("validate", template, "-e", "e.yaml", "-e", too_long).out

    def test_errors_in_an_environment_are_found_there(self, calor: Run, write: Write) -> None:
        done = calor(
            "validate", write("t.yaml", GOOD), "-e", write("e.yaml", "parameters: {}\nparamters: {}\n")
        )

        assert done.code == 1
        assert done.lines[0].startswith("e.yaml:2:1: error E302")

    def test_the_operators_environments_are_below_the_users(self, calor: Run, write: Write) -> None:
        write("ops/10-types.yaml", "resource_registry: {My::Code: OS::Heat::RandomString}\n")
        template = write("t.yaml", GOOD.replace("OS::Heat::RandomString", "My::Code"))

        assert calor("validate", template).code == 1
        assert calor("validate", template, "--environment-dir", "ops").code == 0

    def test_only_some_codes(self, calor: Run, write: Write) -> None:
        template = write("t.yaml", BAD + CARELESS.partition("\n")[2])

        def codes(*options: str) -> list[str]:
            return [line.split()[2] for line in calor("validate", template, *options).lines[:-1]]

        assert codes("--select", "E4") == ["E410", "E403"]
        assert codes("--select", "E403", "--select", "W302") == ["E403", "W302"]
        assert codes("--ignore", "E") == ["W301", "W302"]
        assert codes("--select", "W", "--ignore", "W302") == ["W301"]

    def test_errors_that_are_ignored_do_not_fail(self, calor: Run, write: Write) -> None:
        assert calor("validate", write("t.yaml", BAD), "--ignore", "E403", "--ignore", "E410").code == 0

    def test_a_comment_on_the_line_leaves_a_code_out(self, calor: Run, write: Write) -> None:
        text = CARELESS.replace("default: x}", "default: x}  # calor: ignore=W301")

        done = calor("validate", write("t.yaml", text))

        assert [line.split()[2] for line in done.lines[:-1]] == ["W302"]

    @pytest.mark.parametrize("name", ["missing.yaml", "t.yaml/below.yaml", "a\0b.yaml"])
    def test_what_cannot_be_read_is_an_error(self, calor: Run, write: Write, name: str) -> None:
        write("t.yaml", GOOD)

        done = calor("validate", name)

        assert done.code == 1
        assert "E501" in done.lines[0]
        assert done.lines[-1] == "1 error in 1 file"

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
    def test_a_file_without_permission(self, calor: Run, write: Write) -> None:
        os.chmod(write("t.yaml", GOOD), 0)

        assert "E501 t.yaml cannot be read: Permission denied" in calor("validate", "t.yaml").out

    def test_a_nested_template_that_cannot_be_read_is_reported_once(self, calor: Run, write: Write) -> None:
        text = "heat_template_version: 2018-08-31\nresources:\n  c: {type: missing.yaml}\n"

        done = calor("validate", write("t.yaml", text))

        assert done.lines == [
            "t.yaml:3:13: error E501 missing.yaml cannot be read: No such file or directory",
            "1 error in 1 file",
        ]

    def test_nothing_is_fetched_offline(self, calor: Run, write: Write) -> None:
        text = GOOD + "  page: {value: {get_file: 'http://192.0.2.1/page'}}\n"

        done = calor("validate", write("t.yaml", text), "--offline")

        assert done.code == 1
        assert "E502 http://192.0.2.1/page cannot be read: not fetched: --offline" in done.out

    def test_only_files_and_the_web_are_read(self, calor: Run, write: Write) -> None:
        done = calor(
            "validate", write("t.yaml", GOOD + "  page: {value: {get_file: 'gopher://192.0.2.1/a'}}\n")
        )

        assert (
            "E502 gopher://192.0.2.1/a cannot be read: only files and http or https URLs can be read"
            in done.out
        )


class TestFormatsOfValidate:
    def test_json(self, calor: Run, write: Write) -> None:
        done = calor("validate", write("t.yaml", BAD), "--format", "json")

        assert done.code == 1
        assert done.data["summary"] == {"errors": 2, "warnings": 0, "infos": 0}
        assert done.data["diagnostics"][0] == {
            "severity": "error",
            "code": "E410",
            "message": "Property error: resources.code.properties: there is no property `lenght`",
            "text": "there is no property `lenght`",
            "kind": "Property error",
            "path": "resources.code.properties",
            "file": "t.yaml",
            "line": 3,
            "column": 53,
            "document": "t.yaml",
            "at": ["resources", "code", "properties", "lenght"],
            "declared": None,
            "hint": "did you mean `length`?",
            "deferred": False,
        }

    def test_sarif(self, calor: Run, write: Write) -> None:
        (run,) = calor("validate", write("t.yaml", BAD), "--format", "sarif").data["runs"]

        assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["E403", "E410"]
        assert run["tool"]["driver"]["rules"][1]["shortDescription"]["text"] == CODES["E410"].title
        place = run["results"][0]["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "t.yaml"
        assert (place["region"]["startLine"], place["region"]["startColumn"]) == (3, 53)

    def test_github(self, calor: Run, write: Write) -> None:
        done = calor("validate", write("t.yaml", BAD), "--format", "github")

        assert done.lines[0] == (
            "::error file=t.yaml,line=3,col=53,title=E410::there is no property `lenght` (did you mean `length`?)"
        )
        assert len(done.lines) == 2

    def test_no_findings_print_nothing_for_github(self, calor: Run, write: Write) -> None:
        assert calor("validate", write("t.yaml", GOOD), "--format", "github").out.strip() == ""

    def test_terminal_shows_the_line_and_marks_the_place(
        self, calor: Run, write: Write, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("NO_COLOR", "1")
        done = calor("validate", write("t.yaml", BAD), "--format", "terminal")

        assert "error[E410]: there is no property `lenght`" in done.lines
        marked = next(index for index, line in enumerate(done.lines) if "lenght: 8" in line)
        column = done.lines[marked].index("lenght")
        assert done.lines[marked + 1][column:].startswith("^^^^^^")
        assert done.lines[-1] == "2 errors in 1 file"
        assert "\x1b" not in done.out

    def test_terminal_is_coloured(self, calor: Run, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("NO_COLOR", raising=False)

        assert "\x1b[" in calor("validate", write("t.yaml", BAD), "--format", "terminal").out

    def test_a_template_cannot_steer_the_terminal(self, calor: Run, write: Write) -> None:
        text = 'heat_template_version: 2021-04-16\nresources: {"\\e[2Jr": 1}\n'

        assert "\x1b" not in calor("validate", write("t.yaml", text), "--format", "plain").out


class TestResolve:
    def test_yaml(self, calor: Run, write: Write) -> None:
        done = calor("resolve", write("t.yaml", GOOD), "-P", "size=5")

        assert (done.code, done.err) == (0, "")
        view = yaml.safe_load(done.out)
        assert list(view) == ["params", "conditions", "resources", "edges", "outputs"]
        assert view["params"] == {"size": 5}
        assert view["resources"]["code"]["definition_properties"] == {"length": 5}
        assert view["resources"]["code"]["properties"]["length"] == 5

    def test_json_carries_its_diagnostics(self, calor: Run, write: Write) -> None:
        done = calor("resolve", write("t.yaml", BAD), "--format", "json")

        assert done.code == 1
        assert [found["code"] for found in done.data["diagnostics"]] == ["E410", "E403"]
        assert set(done.data["resources"]) == {"code", "copy"}

    def test_diagnostics_do_not_get_into_the_yaml(self, calor: Run, write: Write) -> None:
        done = calor("resolve", write("t.yaml", BAD))

        assert done.code == 1
        assert set(yaml.safe_load(done.out)["resources"]) == {"code", "copy"}
        assert [line.split()[2] for line in done.err.splitlines()] == ["E410", "E403"]

    def test_a_template_that_cannot_be_read_gives_no_yaml(self, calor: Run, write: Write) -> None:
        done = calor("resolve", write("t.yaml", "a: ["))

        assert (done.code, done.out) == (1, "")
        assert "E101" in done.err

    def test_parameters_are_required(self, calor: Run, write: Write) -> None:
        done = calor("resolve", write("t.yaml", GOOD.replace(", default: 8", "")))

        assert done.code == 1
        assert "E208" in done.err

    @pytest.mark.parametrize("form", ["yaml", "json"])
    def test_hidden_values_are_masked(self, calor: Run, write: Write, form: str) -> None:
        done = calor("resolve", write("t.yaml", SECRET), "--format", form)

        view = yaml.safe_load(done.out)
        assert "hush-hush" not in done.out + done.err
        assert (view["params"]["password"], view["outputs"]["login"]) == ("******", "web:******")
        assert view["resources"]["r"]["properties"]["value"] == "******"

    def test_hidden_values_are_shown_to_who_asks(self, calor: Run, write: Write) -> None:
        view = calor("resolve", write("t.yaml", SECRET), "--format", "json", "--show-secrets").data

        assert view["params"]["password"] == "hush-hush"
        assert view["outputs"]["login"] == "web:hush-hush"

    def test_a_parameter_given_twice_is_a_list(self, calor: Run, write: Write) -> None:
        template = write("t.yaml", SECRET)

        once = calor("resolve", template, "--format", "json", "-P", "tags=a").data
        twice = calor("resolve", template, "--format", "json", "-P", "tags=a", "-P", "tags=b,c").data

        assert once["outputs"]["tags"] == ["a"]
        assert twice["outputs"]["tags"] == ["a", "b,c"]

    def test_a_value_may_hold_an_equals_sign_and_be_empty(self, calor: Run, write: Write) -> None:
        template = write("t.yaml", SECRET)

        assert (
            calor("resolve", template, "--format", "json", "-P", "name=a=b").data["params"]["name"] == "a=b"
        )
        assert calor("resolve", template, "--format", "json", "-P", "name=").data["params"]["name"] == ""

    def test_parameters_go_before_environments_and_later_environments_before_earlier(
        self, calor: Run, write: Write
    ) -> None:
        template = write("t.yaml", GOOD)
        for number in (1, 2):
            write(f"e{number}.yaml", f"parameters: {{size: {number}}}\n")
        both = ("-e", "e1.yaml", "-e", "e2.yaml", "--format", "json")

        assert calor("resolve", template, *both).data["params"] == {"size": 2}
        assert calor("resolve", template, *both, "-P", "size=3").data["params"] == {"size": 3}

    def test_the_name_of_the_stack(self, calor: Run, write: Write) -> None:
        done = calor("resolve", write("t.yaml", SECRET), "--stack-name", "blue", "--format", "json")

        assert done.data["outputs"]["stack"] == "blue"

    def test_nested_templates_and_files_are_found_from_where_they_are_named(
        self, calor: Run, write: Write
    ) -> None:
        write(
            "lib/child.yaml", GOOD.replace("outputs:\n", "outputs:\n  text: {value: {get_file: note.txt}}\n")
        )
        write("lib/note.txt", "a note")
        text = "heat_template_version: 2021-04-16\nresources: {r: {type: lib/child.yaml, properties: {size: 3}}}\n"

        done = calor("resolve", write("t.yaml", text), "--format", "json")

        assert done.code == 0
        assert done.data["resources"]["r"]["properties"] == {"size": 3}

    def test_text_of_any_language_comes_out_as_it_went_in(self, calor: Run, write: Write) -> None:
        template = write("t.yaml", SECRET)

        assert calor("resolve", template, "-P", "name=größe-尺寸").out.startswith(
            "params:\n  name: größe-尺寸\n"
        )


class TestStandardInput:
    """A template named `-` comes from there, and names other files from the current folder."""

    @pytest.fixture
    def typed(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
        return lambda text: monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    def test_is_validated(self, calor: Run, typed: Callable[[str], None]) -> None:
        typed(BAD)

        done = calor("validate", "-")

        assert done.code == 1
        assert [line.split()[0] for line in done.lines[:-1]] == ["-:3:53:", "-:4:61:"]

    def test_is_resolved_with_what_it_names(
        self, calor: Run, write: Write, typed: Callable[[str], None]
    ) -> None:
        write("child.yaml", "heat_template_version: 2021-04-16\nparameters: {size: {type: number}}\n")
        typed(
            "heat_template_version: 2021-04-16\nresources: {r: {type: child.yaml, properties: {size: 3}}}\n"
        )

        done = calor("resolve", "-", "--format", "json")

        assert done.data["resources"]["r"]["properties"] == {"size": 3}

    def test_is_drawn(self, calor: Run, typed: Callable[[str], None]) -> None:
        typed(GOOD)

        assert "code" in calor("graph", "-", "--format", "dot").out


def request(name: str, **more: Any) -> str:
    return json.dumps({"template": SECRET, "parameters": {"name": name}, **more})


class TestBatch:
    def answers(self, done: Outcome) -> list[Any]:
        return [json.loads(line) for line in done.lines]

    def test_each_line_is_answered_in_order(self, calor: Run, write: Write) -> None:
        lines = [
            request("a"),
            request("b", environment={"parameters": {"tags": "x,y"}}),
            json.dumps({"template": BAD}),
        ]

        done = calor("resolve", "--batch", write("requests.jsonl", "\n".join(lines) + "\n"))

        first, second, third = self.answers(done)
        assert first["outputs"]["login"] == "a:hush-hush"
        assert second["outputs"]["tags"] == ["x", "y"]
        assert [found["code"] for found in third["diagnostics"]] == ["E410", "E403"]
        assert done.code == 1

    def test_all_well(self, calor: Run, write: Write) -> None:
        done = calor("resolve", "--batch", write("requests.jsonl", request("a")), "--stack-name", "blue")

        assert done.code == 0
        assert self.answers(done)[0]["outputs"]["stack"] == "blue"

    def test_from_standard_input(self, calor: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"{request('a')}\n\n".encode())))

        assert len(self.answers(calor("resolve", "--batch", "-"))) == 1

    @pytest.mark.parametrize(
        "line",
        [
            b"{bad",
            b"\xff\xfe\x00",
            b"[" * 100_000,
            b"[1, 2]",
            b'"text"',
            b"{}",
            b'{"template": 3}',
            b'{"template": {}, "files": []}',
            b'{"template": {"heat_template_version": "2021-04-16"}, "files": 3}',
            b'{"template": {"heat_template_version": "2021-04-16", "outputs": {"\\ud800": 1}}}',
        ],
    )
    def test_a_bad_line_is_an_error_of_its_own(self, calor: Run, tmp_path: Path, line: bytes) -> None:
        path = tmp_path / "requests.jsonl"
        path.write_bytes(b"\n".join([request("a").encode(), line, request("b").encode()]))

        done = calor("resolve", "--batch", str(path))

        before, bad, after = self.answers(done)
        assert done.code == 1
        assert (before["params"]["name"], after["params"]["name"]) == ("a", "b")
        assert [found["severity"] for found in bad["diagnostics"]] == ["error"]

    def test_thousands_of_lines_in_one_process(self, calor: Run, write: Write) -> None:
        small = {"heat_template_version": "2021-04-16", "parameters": {"n": {"type": "number"}}}
        small["outputs"] = {"o": {"value": {"get_param": "n"}}}
        lines = [json.dumps({"template": small, "parameters": {"n": number}}) for number in range(3000)]

        done = calor("resolve", "--batch", write("requests.jsonl", "\n".join(lines)))

        assert [answer["outputs"]["o"] for answer in self.answers(done)] == list(range(3000))

    def test_a_batch_that_is_not_there(self, calor: Run, write: Write) -> None:
        done = calor("resolve", "--batch", "missing.jsonl")

        assert (done.code, done.out) == (2, "")
        assert done.err == "calor: --batch missing.jsonl: No such file or directory\n"


class TestReference:
    def test_versions(self, calor: Run) -> None:
        assert len(calor("versions").lines) == 1 + len(ALL_VERSIONS)
        listed = calor("versions", "--format", "json").data
        assert {"version": "heat_template_version.2021-04-16", "type": "hot", "aliases": "wallaby"} in listed
        assert {"version": "AWSTemplateFormatVersion.2010-09-09", "type": "cfn", "aliases": ""} in listed

    def test_functions_of_the_newest_version(self, calor: Run) -> None:
        names = [line.split()[0] for line in calor("functions").lines]

        assert names[0] == "FUNCTION"
        assert {"get_param", "if", "yaql", "str_replace_vstrict"} <= set(names)
        assert "equals" not in names
        assert "Fn::Join" not in names

    def test_every_function_is_described(self, calor: Run) -> None:
        for version in ALL_VERSIONS:
            listed = calor("functions", version.title, "--with-conditions", "--format", "json").data
            assert [one["functions"] for one in listed if not one["description"]] == []

    @pytest.mark.parametrize("name", ["2013-05-23", "heat_template_version.2013-05-23", "icehouse"])
    def test_functions_of_a_version_by_any_of_its_names(self, calor: Run, name: str) -> None:
        names = [one["functions"] for one in calor("functions", name, "--format", "json").data]

        assert "Fn::Join" in names
        assert "if" not in names

    def test_functions_of_conditions(self, calor: Run) -> None:
        listed = calor("functions", "--with-conditions", "--format", "json").data

        assert {"equals", "not", "and", "or"} <= {one["functions"] for one in listed}

    def test_an_unknown_version(self, calor: Run) -> None:
        done = calor("functions", "2021-04-61")

        assert (done.code, done.out) == (2, "")
        assert "did you mean `2021-04-16`?" in done.err

    def test_types(self, calor: Run) -> None:
        assert calor("types", "--format", "json").data == catalogue.names()
        shown = calor("types").out
        assert "OS::Nova::Server " in shown

    def test_types_that_are_no_longer_offered_are_left_out(self, calor: Run) -> None:
        listed, all_of_them = (
            {line.split()[0] for line in calor("types", *more).lines if "::" in line.split(" ")[0]}
            for more in ((), ("--all",))
        )

        assert listed < all_of_them
        assert all_of_them <= {*catalogue.names()}

    def test_one_type(self, calor: Run) -> None:
        done = calor("types", "OS::Heat::RandomString")

        assert done.code == 0
        assert "length" in done.out
        assert "OS::Heat::RandomString" in done.lines[0]

    def test_an_unknown_type(self, calor: Run) -> None:
        done = calor("types", "OS::Nova::Sever")

        assert (done.code, done.out) == (1, "")
        assert "did you mean `OS::Nova::Server`?" in done.err

    def test_schema(self, calor: Run) -> None:
        done = calor("schema")

        assert done.code == 0
        assert done.data["type"] == "object"
        assert "heat_template_version" in done.data["properties"]
        assert "OS::Nova::Server" in done.out

    def test_explain(self, calor: Run) -> None:
        done = calor("explain", "e410")

        assert done.code == 0
        assert done.lines[0] == f"E410: {CODES['E410'].title}"
        assert CODES["E410"].explanation in done.out

    def test_explain_lists_all_codes(self, calor: Run) -> None:
        assert [line.split()[0] for line in calor("explain").lines] == list(CODES)

    def test_explain_an_unknown_code(self, calor: Run) -> None:
        done = calor("explain", "E4100")

        assert (done.code, done.out) == (2, "")
        assert "there is no code E4100" in done.err


class TestGraph:
    def test_text_shows_every_resource_below_what_it_needs(self, calor: Run, write: Write) -> None:
        done = calor("graph", write("t.yaml", CHAIN))

        assert done.code == 0
        names = ["one", "two", "three"]
        assert len(done.lines) == 3
        assert [line.index(name) for line, name in zip(done.lines, names, strict=True)] == [0, 3, 6]

    def test_dot(self, calor: Run, write: Write) -> None:
        done = calor("graph", write("t.yaml", CHAIN), "--format", "dot")

        assert done.lines[0].startswith("digraph ")
        assert '  "two" -> "one"' in done.lines
        assert '  "three" -> "two"' in done.lines

    def test_svg(self, calor: Run, write: Write) -> None:
        root = ElementTree.fromstring(calor("graph", write("t.yaml", CHAIN), "--format", "svg").out)

        assert root.tag.endswith("svg")
        assert {"one", "two", "three"} <= {text.strip() for text in root.itertext()}

    def test_into_a_file(self, calor: Run, write: Write) -> None:
        done = calor("graph", write("t.yaml", CHAIN), "--format", "svg", "-o", "t.svg")

        assert (done.code, done.out) == (0, "")
        assert Path("t.svg").read_text("utf-8").startswith("<svg")

    def test_into_a_file_that_cannot_be_written(self, calor: Run, write: Write) -> None:
        done = calor("graph", write("t.yaml", CHAIN), "-o", "no/such/folder.txt")

        assert (done.code, done.err) == (2, "calor: -o no/such/folder.txt: No such file or directory\n")

    def test_nested_stacks(self, calor: Run, write: Write) -> None:
        write("child.yaml", CHAIN)
        parent = "heat_template_version: 2021-04-16\nresources: {r: {type: child.yaml}}\n"

        flat = calor("graph", write("t.yaml", parent))
        nested = calor("graph", "t.yaml", "--nested")

        assert len(flat.lines) == 1
        assert len(nested.lines) == 4

    def test_errors_are_reported_and_the_rest_is_drawn(self, calor: Run, write: Write) -> None:
        done = calor("graph", write("t.yaml", BAD))

        assert done.code == 1
        assert len(done.lines) == 2
        assert "E410" in done.err

    def test_a_cycle_is_drawn(self, calor: Run, write: Write) -> None:
        text = CHAIN.replace("properties: {value: a}", "depends_on: three")

        done = calor("graph", write("t.yaml", text))

        assert done.code == 1
        assert "E409" in done.err
        assert len(done.lines) == 3


class TestWrongUsage:
    @pytest.mark.parametrize(
        ("arguments", "reason"),
        [
            ((), "required"),
            (("validat",), "there is no command validat; did you mean validate?"),
            (("validate",), "required"),
            (("validate", "t.yaml", "--format", "xml"), "--format cannot be xml"),
            (("validate", "t.yaml", "-P", "size"), "-P size: write it as name=value"),
            (("validate", "t.yaml", "-P", "=5"), "-P =5: write it as name=value"),
            (("validate", "t.yaml", "-P", "size=\udcff"), "-P size: the value is not UTF-8 text"),
            (
                ("validate", "t.yaml", "--environment-dir", "no"),
                "--environment-dir no: there is no such folder",
            ),
            (("validate", "http://["), "http://["),
            (("resolve",), "name a template, or --batch"),
            (("graph", "t.yaml", "-P", "size"), "write it as name=value"),
        ],
    )
    def test_exit_code_2_and_a_reason(
        self, calor: Run, write: Write, arguments: tuple[str, ...], reason: str
    ) -> None:
        write("t.yaml", GOOD)

        done = calor(*arguments)

        assert (done.code, done.out) == (2, "")
        assert reason in done.err


class TestProcess:
    def test_version(self) -> None:
        done = in_its_own_process(["--version"])

        assert (done.returncode, done.stdout, done.stderr) == (0, f"calor {__version__}\n", "")

    @pytest.mark.parametrize(("text", "code"), [(GOOD, 0), (BAD, 1)])
    def test_exit_codes(self, write: Write, text: str, code: int) -> None:
        assert in_its_own_process(["template", "validate", write("t.yaml", text)]).returncode == code

    def test_wrong_usage(self) -> None:
        assert in_its_own_process(["template", "resolve"]).returncode == 2

    def test_output_that_nobody_reads_on(self, write: Write) -> None:
        """`calor … | head -1` ends quietly, also when much more was to come."""
        lines = "\n".join([request("a")] * 2000)
        with subprocess.Popen(
            [sys.executable, "-m", "calor", "template", "resolve", "--batch", write("requests.jsonl", lines)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.readline()
            process.stdout.close()
            assert (process.wait(timeout=120), process.stderr.read()) == (0, b"")

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
    def test_output_that_cannot_be_written(self, write: Write) -> None:
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [sys.executable, "-m", "calor", "template", "explain"],
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                timeout=120,
                check=False,
            )

        assert done.returncode == 1
        assert done.stderr.startswith("calor: ")
        assert len(done.stderr.splitlines()) == 1

    def test_text_that_the_terminal_cannot_show(self, write: Write) -> None:
        done = in_its_own_process(
            ["template", "resolve", write("t.yaml", SECRET), "-P", "name=ß"],
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
        )

        assert done.returncode == 0
        assert "name: \\xdf" in done.stdout

    def test_a_file_whose_name_is_not_text(self, write: Write) -> None:
        write("t.yaml", BAD)
        try:
            os.rename(b"t.yaml", b"t\xff.yaml")
        except OSError:
            pytest.skip("the file system has no such names")

        done = in_its_own_process(["template", "validate", os.fsdecode(b"t\xff.yaml")])

        assert done.returncode == 1
        assert done.stdout.splitlines()[-1] == "2 errors in 1 file"


MODULES_AFTER = """
import json, sys
from calor.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def modules_after(*arguments: str) -> set[str]:
    """What a command has imported by its end."""
    done = subprocess.run(
        [sys.executable, "-c", MODULES_AFTER, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


class TestStart:
    """Commands start quickly because they import little; this is what would make them slow."""

    HEAVY = frozenset({"yaql", "urllib.request", "http.client", "ssl", "asyncio", "multiprocessing"})

    def test_validating_a_small_template(self, write: Write) -> None:
        loaded = modules_after("template", "validate", write("t.yaml", GOOD))

        assert loaded & self.HEAVY == set()
        assert {"calor.types.heat.random_string"} <= loaded
        assert not any(name.startswith(("calor.types.nova.", "calor.types.neutron.")) for name in loaded)

    def test_what_is_needed_is_imported(self, write: Write) -> None:
        """The test above would pass if nothing were ever imported under these names."""
        text = GOOD.replace("resources:\n", "resources:\n  net: {type: OS::Neutron::Net}\n")

        assert "calor.types.neutron.networks.net" in modules_after(
            "template", "validate", write("t.yaml", text)
        )

    def test_yaql_is_imported_in_another_process_only(self, write: Write) -> None:
        text = GOOD + "  q: {value: {yaql: {expression: '$.data', data: 1}}}\n"

        assert "yaql" not in modules_after("template", "validate", write("t.yaml", text))

    @pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("template", "--help")])
    def test_saying_the_version_or_helping(self, arguments: tuple[str, ...]) -> None:
        loaded = modules_after(*arguments)

        assert not any(name.startswith(("calor.types", "calor.language")) for name in loaded)
        assert loaded & (self.HEAVY | {"yaml"}) == set()
