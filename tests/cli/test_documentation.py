"""The documentation: what is made from the source is whole, and the site builds without a broken link."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from calor.config.options import sections
from calor.language.codes import CODES
from calor.language.versions import NEWEST
from calor.types import catalogue
from tests.cli.invocation import Run

HOME = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference", HOME / "scripts/docs/reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages(reference: ModuleType) -> dict[str, str]:
    found: dict[str, str] = reference.pages()
    return found


def test_every_function_is_explained(pages: dict[str, str]) -> None:
    text = pages["reference/functions.md"]

    for name in NEWEST.all_functions:
        assert re.search(rf"^\| `{re.escape(name)}` \| \w.*\| \d{{4}}-\d\d-\d\d \|$", text, re.MULTILINE), (
            name
        )


def test_every_type_has_a_page_with_all_its_properties(pages: dict[str, str]) -> None:
    for name in catalogue.names():
        declaration = catalogue.declaration(name)
        assert declaration is not None
        page = pages.get(f"reference/types/{name.replace('::', '-')}.md")
        if page is None:
            assert declaration.support.status.value == "HIDDEN"
            continue
        for part in (*declaration.properties, *declaration.attributes):
            assert f"- `{part}`:" in page


def test_every_code_and_option_is_there(pages: dict[str, str]) -> None:
    for code in CODES:
        assert f"## {code}\n" in pages["reference/codes.md"]
    for options in sections().values():
        for option in options:
            assert f"- `{option.name}`:" in pages["reference/options.md"]


def test_what_markdown_would_take_for_something_else_is_escaped(reference: ModuleType) -> None:
    assert reference._plain("a_b <c> `d_e` *f*") == r"a\_b \<c> `d_e` \*f\*"


def test_the_plan_that_is_shown_is_a_real_one(calor: Run, templates: Path) -> None:
    plans = (HOME / "docs/cli.md").read_text().partition("## Plans\n")[2]
    shown = plans.partition("```console\n")[2].partition("```")[0]
    asked, _, answer = shown.partition("\n")
    for file in (HOME / "examples/web").iterdir():
        shutil.copy(file, templates)
    made = calor("stack", "create", "-t", "web.yaml", "--parameter", "servers=1", "shop")
    assert made.code == 0, made.err

    ran = calor(*asked.removeprefix("$ calor ").split())
    calor("stack", "delete", "-y", "shop")

    assert ran.out == answer


def test_the_site_builds_without_a_broken_link(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=HOME, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "OS::Heat::RandomString" in (tmp_path / "reference/types/OS-Heat-RandomString.html").read_text()


def test_a_broken_link_breaks_the_build(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    shutil.copytree(HOME / "docs", tmp_path / "docs")
    shutil.copytree(HOME / "scripts", tmp_path / "scripts")
    shutil.copy(HOME / "mkdocs.yml", tmp_path)
    with (tmp_path / "docs/index.md").open("a") as page:
        page.write("\n[nowhere](language.md#no-such-place)\n")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    assert done.returncode != 0
    assert "no-such-place" in done.stdout + done.stderr
