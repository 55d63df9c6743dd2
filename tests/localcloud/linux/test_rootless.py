"""The same without root: where the tests themselves are run by root, they are run once more by somebody else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.extended

_NOBODY = 65534
_HOSTILE = Path(__file__).parents[2] / "security" / "servers"
_CHOSEN = (
    "floating_address_leads or only_permitted_ports or same_addresses or metadata_is_answered or doors_of"
    " or nothing_else_of or boots_and_runs or halted_server_keeps or frozen_server_does or module_by_module"
    " or goes_with_the_volume or root_of_a_server_is_refused or nothing_is_left or holder_is_killed"
    " or snapshot_boots or interpreter_of or inotify_of_a_server_is_not_taken_from_the_host or limits_of_its_own"
    " or while_a_server_floods or when_it_boots_until"
)


@pytest.fixture
def own() -> Iterator[Path]:
    """A folder of the other user's; that of other tests is closed to him."""
    with tempfile.TemporaryDirectory(prefix="rootless-", ignore_cleanup_errors=True) as made:
        os.chown(made, _NOBODY, _NOBODY)
        yield Path(made)


@pytest.mark.usefixtures("_possible")
def test_servers_run_without_root(own: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("these tests are run without root already")
    python = _python_for_all()
    here = Path(__file__).parent
    command = ["setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups"]
    command += [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--basetemp={own}/tests"]
    command += ["--ignore", str(here / "test_rootless.py"), str(here), str(_HOSTILE), "-k", _CHOSEN]
    done = subprocess.run(
        command,
        cwd=here.parents[2],
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(own),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.pathsep.join(one for one in sys.path if one),
            "CALOR_TEST_EVERYTHING": "1",
        },
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]


def _python_for_all() -> str:
    """An interpreter that everybody may run, of the version whose modules are at hand."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for candidate in (
        os.path.realpath(sys.executable),
        shutil.which(version, path="/usr/bin:/usr/local/bin"),
    ):
        if candidate is None:
            continue
        trial = ["setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups", candidate]
        trial += ["-c", "import os, sys; sys.exit(not os.access(sys.executable, os.X_OK))"]
        try:
            if subprocess.run(trial, capture_output=True, timeout=60).returncode == 0:
                return candidate
        except OSError:
            break
    pytest.skip("there is no Python that another user can run")
