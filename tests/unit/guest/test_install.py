"""How the guest tools are installed on servers and in images."""

from __future__ import annotations

import subprocess
from pathlib import Path

from calor_guest.archive import archive
from calor_guest.install import add_service, install
from tests.support.requirements import need


def test_the_agent_is_a_service_of_systemd(tmp_path: Path) -> None:
    need("systemd-analyze")
    source, root = tmp_path / "tools.pyz", tmp_path / "root"
    source.write_bytes(archive())
    install(str(source), str(root))
    add_service(str(root))

    unit = root / "etc/systemd/system/os-collect-config.service"
    (root / "usr/bin/os-collect-config").unlink()
    (root / "usr/bin/os-collect-config").write_text("")
    (root / "usr/bin/os-collect-config").chmod(0o755)
    done = subprocess.run(
        ["systemd-analyze", "verify", f"--root={root}", "--recursive-errors=no", unit.name],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    wanted = root / "etc/systemd/system/multi-user.target.wants/os-collect-config.service"
    assert wanted.readlink() == Path("/etc/systemd/system/os-collect-config.service")


def test_a_service_that_is_there_stays(tmp_path: Path) -> None:
    wanted = tmp_path / "etc/systemd/system/multi-user.target.wants/os-collect-config.service"
    wanted.parent.mkdir(parents=True)
    wanted.symlink_to("/usr/lib/systemd/system/os-collect-config.service")
    add_service(str(tmp_path))
    assert wanted.readlink() == Path("/usr/lib/systemd/system/os-collect-config.service")
    assert not (tmp_path / "etc/systemd/system/os-collect-config.service").exists()
