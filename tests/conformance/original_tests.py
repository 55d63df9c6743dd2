"""Runs the tests of another project against Calor: with shims for the modules that they import."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from calor_guest.archive import archive
from tests.conformance.originals import unpacked_source

HOME = Path(__file__).parents[2]
_SHIMS = Path(__file__).with_name("shims")


class Results(NamedTuple):
    passed: frozenset[str]
    """By MODULE.CLASS.test, without the package of the tests."""
    others: Mapping[str, str]
    """What was printed, by the test that did not pass."""


def run(package: str, version: str, workspace: Path, programs: tuple[str, ...] = ()) -> Results:
    """The modules of the shims take the place of the original's; the programs are those of the archive."""
    name = package.replace("-", "_")
    shutil.copytree(_SHIMS / name, workspace / name)
    shutil.copytree(unpacked_source(package, version) / name / "tests", workspace / name / "tests")
    _put_programs(workspace / "bin", programs)
    environment = {
        **os.environ,
        "PATH": f"{workspace / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": f"{workspace}:{HOME / 'src'}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "LC_ALL": "C",
    }
    return run_pytest(workspace, [f"{name}/tests"], environment, f"{name}.tests.")


def check(results: Results, count: int, not_applicable: Mapping[str, str]) -> None:
    """All tests pass but those for which there is a reason."""
    unexpected = {name: text for name, text in results.others.items() if name not in not_applicable}
    assert not unexpected, "\n\n".join(f"{name}\n{text}" for name, text in unexpected.items())
    assert set(not_applicable) == set(results.others)
    assert len(results.passed) == count - len(not_applicable)


def run_pytest(folder: Path, tests: Sequence[str], environment: Mapping[str, str], prefix: str) -> Results:
    """Runs tests in another process; `prefix` is removed from their names."""
    report = folder / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider"]
    command += ["--rootdir", str(folder), f"--junitxml={report}", *tests]
    done = subprocess.run(
        command, cwd=folder, env=dict(environment), capture_output=True, text=True, timeout=600
    )
    assert report.exists(), done.stdout + done.stderr
    return _results(report, prefix)


def names_of_tests(files: Iterable[Path]) -> Iterator[str]:
    """By MODULE.CLASS.test, without importing them."""
    for file in files:
        for found in ast.parse(file.read_text()).body:
            if isinstance(found, ast.ClassDef):
                for one in found.body:
                    if isinstance(one, ast.FunctionDef) and one.name.startswith("test"):
                        yield f"{file.stem}.{found.name}.{one.name}"


def _put_programs(folder: Path, names: tuple[str, ...]) -> None:
    folder.mkdir()
    packed = folder / "calor-guest"
    packed.write_bytes(archive())
    packed.chmod(0o755)
    for name in names:
        (folder / name).symlink_to(packed)


def _results(report: Path, prefix: str) -> Results:
    passed, others = set(), {}
    for case in ElementTree.parse(report).iter("testcase"):
        test = f"{case.get('classname', '').removeprefix(prefix)}.{case.get('name')}"
        if len(case) and any(child.tag in ("failure", "error", "skipped") for child in case):
            others[test] = "\n".join(f"{child.tag}: {child.text or child.get('message')}" for child in case)
        else:
            passed.add(test)
    return Results(frozenset(passed), others)
