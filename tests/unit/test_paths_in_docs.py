"""The documentation names files, functions and modules that exist."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

HOME = Path(__file__).parents[2]
ROOTS = (HOME / "src/calor", HOME / "src", HOME)
FOLDERS = "|".join(sorted({folder.name for root in ROOTS for folder in root.iterdir() if folder.is_dir()}))
PAGES = [HOME / "README.md", HOME / "CONTRIBUTING.md", *sorted((HOME / "docs").glob("*.md"))]
EXAMPLES = re.compile(r"acme_kettle\.py|test_kettle\.py|secrets/\w+\.py")
"""Files that a page makes up."""
NOT_MODULES = {"calor.types", "calor.auth_backends", "calor.db"}
"""Groups of entry points, and a file."""

_CODE = re.compile(r"`([^`\n]+)`")
_FILE = re.compile(r"((?:[\w-]+/)*[\w-]+\.py)(?::([\w.]+))?")
_FOLDER = re.compile(rf"(?:{FOLDERS})/[\w./-]*(?<!\.py)")
_MEMBER = re.compile(r"([A-Z]\w+)\.(\w+)")
_MODULE = re.compile(r"calor(?:\.\w+)+")


def _named(page: Path, pattern: re.Pattern[str]) -> list[re.Match[str]]:
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    return [found for code in _CODE.findall(text) if (found := pattern.fullmatch(code))]


def _files(path: str) -> list[Path]:
    """The files that a path may mean; one without a folder may be anywhere in the source or the tests."""
    if "/" in path:
        return [root / path for root in ROOTS if (root / path).is_file()]
    return [*(HOME / "src").rglob(path), *(HOME / "tests").rglob(path)]


def _has(file: Path, name: str) -> bool:
    text = file.read_text("utf-8")
    return all(
        re.search(rf"^\s*(?:async )?(?:def|class) {part}\b|^{part}\b.*=", text, re.MULTILINE)
        for part in name.split(".")
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_and_functions_exist(page: Path) -> None:
    missing = []
    for found in _named(page, _FILE):
        path, name = found.groups()
        if EXAMPLES.fullmatch(path):
            continue
        files = _files(path)
        if not files or (name is not None and not any(_has(file, name) for file in files)):
            missing.append(found[0])

    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_folders_exist(page: Path) -> None:
    named = [found[0] for found in _named(page, _FOLDER)]

    assert [path for path in named if not any((root / path).exists() for root in ROOTS)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_modules_exist(page: Path) -> None:
    named = [found[0] for found in _named(page, _MODULE)]

    assert [name for name in named if name not in NOT_MODULES and not _can_be_imported(name)] == []


def _can_be_imported(name: str) -> bool:
    try:
        import_module(name)
    except ModuleNotFoundError:
        module, _, member = name.rpartition(".")
        return _can_be_imported(module) and hasattr(import_module(module), member)
    return True


def test_members_of_classes_that_the_tour_names_exist() -> None:
    texts = [file.read_text("utf-8") for file in (HOME / "src/calor").rglob("*.py")]
    missing = []
    for found in _named(HOME / "docs/tour.md", _MEMBER):
        owner, member = found.groups()
        classes = [text for text in texts if re.search(rf"^class {owner}\b", text, re.MULTILINE)]
        declared = re.compile(rf"^    (?:(?:async )?def )?{member}\b|self\.{member}\b", re.MULTILINE)
        if not any(declared.search(text) for text in classes):
            missing.append(found[0])

    assert missing == []
