"""The tests that plug-ins are shown, run as their authors run them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "adding-a-resource-type.md"


def snippets() -> list[str]:
    return re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)


def outcome_of_tests(folder: Path) -> str:
    """What pytest says in the end of the tests in a folder."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.rstrip().rpartition("\n")[2]


def test_the_tests_of_the_documentation_pass(tmp_path: Path) -> None:
    kettle, *others = snippets()
    [tests] = [text for text in others if "import pytest" in text]
    (tmp_path / "acme_kettle.py").write_text(kettle)
    (tmp_path / "test_kettle.py").write_text(tests)

    assert outcome_of_tests(tmp_path).startswith("4 passed")


def test_the_type_of_one_object_in_the_documentation_works() -> None:
    [text] = [text for text in snippets() if "FakeCloud" in text]

    exec(text, {})


@pytest.mark.extended
def test_the_tests_of_the_example_plugin_pass() -> None:
    assert outcome_of_tests(ROOT / "examples" / "plugins" / "external-resource").startswith("5 passed")
