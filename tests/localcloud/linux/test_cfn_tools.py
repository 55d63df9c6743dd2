"""The cfn tools in a server of the built-in image."""

from __future__ import annotations

import json
import shlex

from tests.support.linux import Machine


def configured(machine: Machine, **config: object) -> tuple[int, str]:
    """The exit code and the errors of cfn-init."""
    machine.boot("one", memory_mb=512)
    machine.finished("one")
    metadata = shlex.quote(json.dumps({"AWS::CloudFormation::Init": {"config": config}}))
    folder = "/var/lib/heat-cfntools"
    machine.out("one", f"mkdir -p {folder} && printf %s {metadata} >{folder}/cfn-init-data")
    done = machine.run("one", "cfn-init")
    return done.returncode, done.stderr


def test_a_server_is_configured(machine: Machine) -> None:
    status, errors = configured(
        machine,
        groups={"ops": {"gid": 4711}},
        users={"op": {"uid": 4712, "groups": ["ops"], "homeDir": "/home/op"}},
        files={"/etc/motd": {"content": "welcome\n", "mode": "000640", "owner": "op", "group": "ops"}},
        commands={"a": {"command": "tar -C /etc -czf /root/a.tgz motd", "test": "test ! -e /root/a.tgz"}},
    )
    assert status == 0, errors
    assert machine.out("one", "stat -c '%a %U %G' /etc/motd; id -Gn op; cat /etc/motd") == (
        "640 op ops\nop ops\nwelcome\n"
    )


def test_packages_fail_because_a_server_has_what_its_image_has(machine: Machine) -> None:
    """Everything else is done."""
    status, errors = configured(
        machine, packages={"yum": {"httpd": []}}, commands={"a": {"command": "touch /root/done"}}
    )
    assert status == 1
    assert "packages of yum are not installed" in errors
    assert machine.out("one", "ls /root") == "done\n"
