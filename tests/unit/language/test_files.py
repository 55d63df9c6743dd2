"""Gathering: a template, its environments and all they refer to become one request."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from calor.cli.fetching import fetcher
from calor.language import files
from calor.language.diagnostics import Report
from calor.language.files import Gathered, display_name, file_url, gather
from calor.language.request import resolve_request
from tests.unit.language.resolving import WORLD

HEAD = "heat_template_version: 2021-04-16\n"
ROOT = "file:///home/ann/main.yaml"


class Web:
    """Content by URL, and what was asked for."""

    def __init__(self, content: dict[str, str | bytes]) -> None:
        self.content = content
        self.asked: list[str] = []

    def __call__(self, url: str) -> bytes:
        self.asked.append(url)
        if url not in self.content:
            raise FileNotFoundError(2, "No such file or directory")
        content = self.content[url]
        return content if isinstance(content, bytes) else content.encode()


def gathered(content: dict[str, str | bytes], *environments: str, root: str = ROOT) -> Gathered:
    named = {url if ":" in url else f"file:///home/ann/{url}": text for url, text in content.items()}
    return gather(root, [f"file:///home/ann/{name}" for name in environments], Web(named), cwd="/home/ann")


def request_of(content: dict[str, str | bytes], *environments: str, root: str = ROOT) -> dict[str, Any]:
    found = gathered(content, *environments, root=root)
    assert not len(found.report), [diagnostic.message for diagnostic in found.report]
    return found.request


class TestGetFile:
    def test_content_comes_along_under_its_absolute_url(self) -> None:
        request = request_of(
            {
                "main.yaml": HEAD + "outputs: {o: {value: {get_file: scripts/run.sh}}}",
                "scripts/run.sh": "#!/bin/sh\necho hi\n",
            }
        )

        assert request["template"]["outputs"]["o"]["value"] == {"get_file": "file:///home/ann/scripts/run.sh"}
        assert request["files"] == {"file:///home/ann/scripts/run.sh": "#!/bin/sh\necho hi\n"}

    def test_it_is_found_at_any_depth(self) -> None:
        request = request_of(
            {
                "main.yaml": HEAD + "resources: {r: {type: X, properties: {a: [{b: {get_file: f}}]}}}",
                "f": "content",
            }
        )
        inner = request["template"]["resources"]["r"]["properties"]["a"][0]["b"]

        assert inner == {"get_file": "file:///home/ann/f"}

    @pytest.mark.parametrize("value", ["{get_param: name}", "[a, b]", "null"])
    def test_what_is_not_a_name_is_left_alone(self, value: str) -> None:
        request = request_of({"main.yaml": HEAD + f"outputs: {{o: {{value: {{get_file: {value}}}}}}}"})

        assert request["files"] == {}

    def test_from_the_web(self) -> None:
        request = request_of(
            {
                "main.yaml": HEAD + "outputs: {o: {value: {get_file: 'http://example.com/a.txt'}}}",
                "http://example.com/a.txt": "far away",
            }
        )

        assert request["files"] == {"http://example.com/a.txt": "far away"}

    def test_beside_a_template_from_the_web(self) -> None:
        request = request_of(
            {
                "https://example.com/t/main.yaml": HEAD + "outputs: {o: {value: {get_file: ../a.txt}}}",
                "https://example.com/a.txt": "content",
            },
            root="https://example.com/t/main.yaml",
        )

        assert request["files"] == {"https://example.com/a.txt": "content"}

    def test_what_is_not_text_comes_as_base64(self) -> None:
        blob = bytes(range(256))
        request = request_of({"main.yaml": HEAD + "outputs: {o: {value: {get_file: blob}}}", "blob": blob})

        assert base64.b64decode(request["files"]["file:///home/ann/blob"]) == blob

    def test_each_file_is_fetched_once(self) -> None:
        web = Web(
            {
                ROOT: HEAD + "outputs: {o: {value: [{get_file: f}, {get_file: ./f}, {get_file: f}]}}",
                "file:///home/ann/f": "x",
            }
        )
        gather(ROOT, [], web, cwd="/home/ann")

        assert web.asked == [ROOT, "file:///home/ann/f"]

    def test_names_with_spaces_and_umlauts(self) -> None:
        request = request_of(
            {
                "main.yaml": HEAD + "outputs: {o: {value: {get_file: 'my file ü.txt'}}}",
                "my file ü.txt": "x",
            }
        )

        assert list(request["files"].values()) == ["x"]


class TestTypes:
    def test_a_template_used_as_a_type(self) -> None:
        request = request_of(
            {
                "main.yaml": HEAD + "resources: {r: {type: lib/web.yaml}}",
                "lib/web.yaml": HEAD + "resources: {}",
            }
        )

        assert request["template"]["resources"]["r"]["type"] == "file:///home/ann/lib/web.yaml"
        assert json.loads(request["files"]["file:///home/ann/lib/web.yaml"]) == {
            "heat_template_version": "2021-04-16",
            "resources": {},
        }

    def test_what_it_refers_to_is_found_beside_it(self) -> None:
        request = request_of(
            {
                "main.yaml": HEAD + "resources: {r: {type: lib/web.yaml}}",
                "lib/web.yaml": HEAD
                + "resources: {s: {type: ../db.template}}\noutputs: {o: {value: {get_file: f}}}",
                "db.template": HEAD,
                "lib/f": "content",
            }
        )
        nested = json.loads(request["files"]["file:///home/ann/lib/web.yaml"])

        assert nested["resources"]["s"]["type"] == "file:///home/ann/db.template"
        assert nested["outputs"]["o"]["value"] == {"get_file": "file:///home/ann/lib/f"}
        assert set(request["files"]) == {
            "file:///home/ann/lib/web.yaml",
            "file:///home/ann/db.template",
            "file:///home/ann/lib/f",
        }

    def test_in_the_definition_of_a_groups_members(self) -> None:
        request = request_of(
            {
                "main.yaml": HEAD + "resources: {g: {type: OS::Heat::ResourceGroup, properties: "
                "{resource_def: {type: web.yaml}}}}",
                "web.yaml": HEAD,
            }
        )

        assert "file:///home/ann/web.yaml" in request["files"]

    def test_in_the_cloudformation_format(self) -> None:
        request = request_of(
            {
                "main.yaml": "HeatTemplateFormatVersion: 2012-12-12\nResources: {R: {Type: web.template}}",
                "web.template": HEAD,
            }
        )

        assert request["template"]["Resources"]["R"]["Type"] == "file:///home/ann/web.template"

    @pytest.mark.parametrize("name", ["OS::Nova::Server", "web.yml", "web"])
    def test_other_types_are_left_alone(self, name: str) -> None:
        request = request_of({"main.yaml": HEAD + f"resources: {{r: {{type: {name}}}}}"})

        assert request["template"]["resources"]["r"]["type"] == name
        assert request["files"] == {}

    def test_templates_that_include_each_other(self) -> None:
        found = gathered(
            {
                "main.yaml": HEAD + "resources: {r: {type: a.yaml}}",
                "a.yaml": HEAD + "resources:\n  r:\n    type: b.yaml\n",
                "b.yaml": HEAD + "resources:\n  r:\n    type: a.yaml\n",
            }
        )
        (problem,) = found.report

        assert problem.code == "E504"
        assert problem.message == "the templates include each other: a.yaml → b.yaml → a.yaml"
        assert str(problem.where) == "b.yaml:4:11"

    def test_a_template_that_includes_itself(self) -> None:
        (problem,) = gathered({"main.yaml": HEAD + "resources: {r: {type: main.yaml}}"}).report

        assert problem.message == "the templates include each other: main.yaml → main.yaml"

    def test_a_template_used_twice_is_not_a_circle(self) -> None:
        request_of(
            {
                "main.yaml": HEAD + "resources: {r: {type: a.yaml}, s: {type: b.yaml}}",
                "a.yaml": HEAD + "resources: {r: {type: b.yaml}}",
                "b.yaml": HEAD,
            }
        )

    def test_a_type_that_is_not_a_template_is_sent_as_it_is(self) -> None:
        request = request_of({"main.yaml": HEAD + "resources: {r: {type: a.yaml}}", "a.yaml": "just: text\n"})

        assert request["files"] == {"file:///home/ann/a.yaml": "just: text\n"}


class TestEnvironments:
    def test_mappings_to_templates(self) -> None:
        request = request_of(
            {
                "main.yaml": HEAD,
                "envs/e.yaml": "resource_registry: {'My::A': lib/a.yaml, 'My::B': 'OS::Heat::None'}",
                "envs/lib/a.yaml": HEAD,
            },
            "envs/e.yaml",
        )
        registry = {"My::A": "file:///home/ann/envs/lib/a.yaml", "My::B": "OS::Heat::None"}

        assert request["environment"] == {"resource_registry": registry}
        assert request["environment_files"] == ["file:///home/ann/envs/e.yaml"]
        assert json.loads(request["files"]["file:///home/ann/envs/e.yaml"]) == {"resource_registry": registry}
        assert "file:///home/ann/envs/lib/a.yaml" in request["files"]

    def test_mappings_for_single_resources(self) -> None:
        request = request_of(
            {
                "main.yaml": HEAD,
                "e.yaml": "resource_registry: {resources: {web: {'My::A': a.yaml, hooks: pre-create}}}",
                "a.yaml": HEAD,
            },
            "e.yaml",
        )

        assert request["environment"]["resource_registry"]["resources"] == {
            "web": {"My::A": "file:///home/ann/a.yaml", "hooks": "pre-create"}
        }

    def test_a_base_url(self) -> None:
        request = request_of(
            {
                "main.yaml": HEAD,
                "e.yaml": "resource_registry:\n  base_url: http://example.com/lib\n  My::A: a.yaml\n"
                "  resources: {web: {base_url: 'http://example.org/', 'My::A': a.yaml}, db: {'My::A': b.yaml}}\n",
                "http://example.com/lib/a.yaml": HEAD,
                "http://example.com/lib/b.yaml": HEAD,
                "http://example.org/a.yaml": HEAD,
            },
            "e.yaml",
        )

        assert request["environment"]["resource_registry"] == {
            "My::A": "http://example.com/lib/a.yaml",
            "resources": {
                "web": {"My::A": "http://example.org/a.yaml"},
                "db": {"My::A": "http://example.com/lib/b.yaml"},
            },
        }

    def test_several_are_merged_for_old_servers_and_kept_for_new_ones(self) -> None:
        request = request_of(
            {
                "main.yaml": HEAD,
                "1.yaml": "parameters: {a: 1, j: {x: 1}}\nresource_registry: {'A::B': 'C::D'}",
                "2.yaml": "parameters: {a: 2, j: {y: 2}}",
            },
            "1.yaml",
            "2.yaml",
        )

        assert request["environment"] == {
            "parameters": {"a": 2, "j": {"x": 1, "y": 2}},
            "resource_registry": {"A::B": "C::D"},
        }
        assert request["environment_files"] == ["file:///home/ann/1.yaml", "file:///home/ann/2.yaml"]
        assert json.loads(request["files"]["file:///home/ann/2.yaml"]) == {
            "parameters": {"a": 2, "j": {"y": 2}}
        }


class TestProblems:
    def test_a_missing_template(self) -> None:
        found = gathered({})
        (problem,) = found.report

        assert found.request == {}
        assert (problem.code, problem.message) == (
            "E501",
            "main.yaml cannot be read: No such file or directory",
        )

    def test_a_missing_file_is_pointed_at_where_it_is_named(self) -> None:
        found = gathered({"main.yaml": HEAD + "outputs:\n  o:\n    value:\n      get_file: gone.txt\n"})
        (problem,) = found.report

        assert (problem.code, str(problem.where)) == ("E501", "main.yaml:5:17")
        assert found.request["template"]["outputs"]["o"]["value"] == {"get_file": "file:///home/ann/gone.txt"}

    def test_an_address_that_does_not_answer(self) -> None:
        (problem,) = gathered(
            {"main.yaml": HEAD + "resources: {r: {type: 'https://example.com/a.yaml'}}"}
        ).report

        assert problem.code == "E502"

    def test_a_missing_environment(self) -> None:
        (problem,) = gathered({"main.yaml": HEAD}, "gone.yaml").report

        assert problem.code == "E501"

    def test_a_template_that_cannot_be_read(self) -> None:
        found = gathered({"main.yaml": "a: ["})

        assert found.request == {}
        assert [problem.code for problem in found.report] == ["E101"]

    def test_a_file_that_is_too_large(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(files, "MAX_FILE", 1000)
        found = gathered({"main.yaml": HEAD + "outputs: {o: {value: {get_file: f}}}", "f": b"x" * 1001})
        (problem,) = found.report

        assert (problem.code, problem.message) == ("E503", "f has 1,001 bytes; at most 1,000 are allowed")
        assert found.request["files"] == {}

    def test_all_are_reported_at_once(self) -> None:
        found = gathered(
            {"main.yaml": HEAD + "outputs: {o: {value: [{get_file: a}, {get_file: b}]}}"}, "e.yaml"
        )

        assert [problem.code for problem in found.report] == ["E501", "E501", "E501"]


class TestNames:
    @pytest.mark.parametrize(
        ("path", "url"),
        [
            ("main.yaml", "file:///home/ann/main.yaml"),
            ("../up.yaml", "file:///home/up.yaml"),
            ("/abs/x.yaml", "file:///abs/x.yaml"),
            ("a b.yaml", "file:///home/ann/a%20b.yaml"),
            ("http://example.com/x.yaml", "http://example.com/x.yaml"),
            ("file:///x.yaml", "file:///x.yaml"),
        ],
    )
    def test_urls_of_paths(self, path: str, url: str) -> None:
        assert file_url(path, "/home/ann") == url

    @pytest.mark.parametrize(
        ("url", "name"),
        [
            ("file:///home/ann/sub/main.yaml", "sub/main.yaml"),
            ("file:///elsewhere/main.yaml", "/elsewhere/main.yaml"),
            ("file:///home/ann/a%20b.yaml", "a b.yaml"),
            ("http://example.com/x.yaml", "http://example.com/x.yaml"),
        ],
    )
    def test_urls_as_people_write_them(self, url: str, name: str) -> None:
        assert display_name(url, "/home/ann") == name


class TestOnDisk:
    def test_a_whole_request_can_be_resolved(self, tmp_path: Any) -> None:
        (tmp_path / "lib").mkdir()
        (tmp_path / "main.yaml").write_text(
            HEAD + "resources: {r: {type: My::Web, properties: {text: {get_file: motd}}}}\n"
        )
        (tmp_path / "motd").write_text("welcome")
        (tmp_path / "env.yaml").write_text("resource_registry: {'My::Web': lib/web.yaml}\n")
        (tmp_path / "lib" / "web.yaml").write_text(
            HEAD + "parameters: {text: {type: string}}\noutputs: {o: {value: {get_param: text}}}\n"
        )
        cwd = str(tmp_path)
        found = gather(
            file_url("main.yaml", cwd), [file_url("env.yaml", cwd)], fetcher(offline=True), cwd=cwd
        )
        report = Report()
        definition = resolve_request(found.request, WORLD, report, name=found.url, sources=found.sources)

        assert not len(found.report)
        assert not len(report)
        assert definition is not None
        below = definition.resources["r"].child
        assert below is not None
        assert below.outputs == {"o": "welcome"}

    def test_offline_nothing_is_fetched(self) -> None:
        with pytest.raises(OSError, match="--offline"):
            fetcher(offline=True)("http://example.com/")
