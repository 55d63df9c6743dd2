"""Images without the tools for software deployment get them when user data needs them."""

from __future__ import annotations

import json
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from pathlib import Path

import pytest

from calor.cli.main import main
from tests.support.images import image_without_tools
from tests.support.linux import Listener, Machine

CONFIG = {"AWS::CloudFormation::Init": {"config": {"files": {"/root/made": {"content": "by cfn-init"}}}}}


def _user_data(script: str) -> bytes:
    message = MIMEMultipart()
    for name, kind, content in (
        ("cfn-init-data", "x-cfninitdata", json.dumps(CONFIG)),
        ("script", "x-shellscript", f"#!/bin/sh\n{script}\n"),
    ):
        part = MIMEText(content, kind)
        part.add_header("Content-Disposition", "attachment", filename=name)
        message.attach(part)
    return message.as_bytes()


def test_the_tools_are_there_before_scripts_run(machine: Machine, tmp_path: Path) -> None:
    image = image_without_tools(tmp_path, has_python=True)
    machine.boot("one", image=image, user_data=_user_data("cfn-init && cat /root/made"), memory_mb=512)
    assert "by cfn-init" in machine.finished("one")
    machine.out("one", "ls /usr/libexec/heat-config/hooks/script /etc/os-collect-config.conf")


def test_nothing_is_installed_for_other_user_data(machine: Machine, tmp_path: Path) -> None:
    image = image_without_tools(tmp_path, has_python=True)
    machine.boot("one", image=image, script="true")
    machine.finished("one")
    assert machine.run("one", "command -v cfn-init").returncode != 0


def test_servers_of_other_clouds_download_the_tools(
    machine: Machine, host_service: Listener, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    file = tmp_path / "calor-guest.pyz"
    assert main(["config", "guest-tools", "--output", str(file)]) == 0
    assert main(["config", "guest-tools", "--url", f"http://127.0.0.1:{host_service.port}/tools"]) == 0
    script = capfdbinary.readouterr().out
    host_service.answer = file.read_bytes()
    image = image_without_tools(tmp_path, has_python=True)
    machine.network()
    machine.boot("one", machine.port("10.0.0.11"), image=image, user_data=script, memory_mb=512)
    machine.finished("one")
    assert machine.out("one", "os-collect-config --version; ls /tmp")
    assert host_service.heard[0].startswith(b"GET /tools ")


def test_a_download_that_was_changed_is_not_installed(
    machine: Machine, host_service: Listener, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["config", "guest-tools", "--url", f"http://127.0.0.1:{host_service.port}/tools"]) == 0
    script = capfdbinary.readouterr().out
    image = image_without_tools(tmp_path, has_python=True)
    machine.network()
    machine.boot("one", machine.port("10.0.0.11"), image=image, user_data=script)
    assert "exited with code" in machine.finished("one")
    assert machine.run("one", "command -v os-collect-config").returncode != 0


def test_an_image_without_python_is_reported(machine: Machine, tmp_path: Path) -> None:
    image = image_without_tools(tmp_path, has_python=False)
    machine.boot("one", image=image, user_data=_user_data("echo scripts run"))
    console = machine.finished("one")
    assert "need Python 3.6 or newer, which this image does not have" in console
    assert "scripts run" in console
