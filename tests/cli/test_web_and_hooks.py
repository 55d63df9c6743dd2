"""Templates from the web, and the call that the pre-commit hook makes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
import yaml

from calor.cli.main import main

HOOKS = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"
CHILD = "{heat_template_version: 2018-08-31, parameters: {size: {type: number}}}"


class Web(BaseHTTPRequestHandler):
    pages: ClassVar[dict[str, str]] = {}
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        found = self.pages.get(self.path)
        self.send_response(404 if found is None else 200)
        self.end_headers()
        self.wfile.write((found or "").encode())

    def log_message(self, format: str, *args: object) -> None:
        """The test's output is no place for it."""


@pytest.fixture
def web() -> Iterator[str]:
    Web.pages, Web.asked = {}, []
    server = HTTPServer(("127.0.0.1", 0), Web)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def using(address: str, properties: str) -> str:
    return (
        "heat_template_version: 2018-08-31\n"
        f"resources:\n  r: {{type: '{address}', properties: {properties}}}\n"
    )


def test_a_template_used_as_a_type_is_fetched(
    web: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Web.pages["/child.yaml"] = CHILD
    template = tmp_path / "t.yaml"
    template.write_text(using(f"{web}/child.yaml", "{sise: 1}"))

    assert main(["template", "validate", str(template)]) == 1
    assert "E410 there is no property `sise` (did you mean `size`?)" in capsys.readouterr().out


def test_a_template_can_itself_be_at_an_address_with_its_files_beside_it(
    web: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Web.pages["/a/t.yaml"] = using("child.yaml", "{size: 3}")
    Web.pages["/a/child.yaml"] = CHILD

    assert main(["template", "resolve", f"{web}/a/t.yaml"]) == 0
    assert f"type: {web}/a/child.yaml" in capsys.readouterr().out


def test_an_address_that_has_nothing_is_reported_where_it_is_named(
    web: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    template = tmp_path / "t.yaml"
    template.write_text(using(f"{web}/gone.yaml", "{}"))

    assert main(["template", "validate", str(template)]) == 1
    assert "t.yaml:3:13: error E502" in capsys.readouterr().out
    assert Web.asked == ["/gone.yaml"]


def test_the_pre_commit_hook_checks_templates_and_leaves_other_files_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [hook] = yaml.safe_load(HOOKS.read_text())
    command, *arguments = hook["entry"].split()
    (tmp_path / "playbook.yaml").write_text("- hosts: all\n")
    (tmp_path / "good.yaml").write_text("heat_template_version: 2018-08-31\n")
    bad = tmp_path / "bad.yaml"
    bad.write_text("heat_template_version: 2018-08-31\nresource: {}\n")
    others = [str(tmp_path / name) for name in ("playbook.yaml", "good.yaml")]

    assert command == "calor"
    assert main([*arguments, *others]) == 0
    assert main([*arguments, *others, str(bad)]) == 1
    assert "bad.yaml:2:1: error E111" in capsys.readouterr().out
