"""The cfn tools on servers, which take their configuration from the metadata of a resource."""

from __future__ import annotations

from typing import Any

from tests.software.conftest import Make
from tests.software.site import NETWORK, RUNS, Site, machine
from tests.support.server import until


def cfn_ref(name: str) -> dict[str, str]:
    return {"Ref": name}


def got(*path: str) -> dict[str, Any]:
    return {"Fn::GetAtt": list(path)}


def script(*lines: Any) -> dict[str, Any]:
    """Lines of texts and functions."""
    pieces: list[Any] = ["#!/bin/sh\n"]
    for line in lines:
        pieces += [*(line if isinstance(line, list) else [line]), "\n"]
    return {"Fn::Join": ["", pieces]}


def boot(*lines: Any) -> dict[str, Any]:
    return {"Fn::Base64": script(*lines)}


CREDENTIALS = [
    "mkdir -p /etc/cfn; printf 'AWSAccessKeyId=%s\\nAWSSecretKey=%s\\n' ",
    cfn_ref("keys"),
    " ",
    got("keys", "SecretAccessKey"),
    " >/etc/cfn/cfn-credentials; chmod 600 /etc/cfn/cfn-credentials",
]
HANDLE = {"Type": "AWS::CloudFormation::WaitConditionHandle"}
ACCOUNT = {
    "user": {"Type": "AWS::IAM::User"},
    "keys": {"Type": "AWS::IAM::AccessKey", "Properties": {"UserName": cfn_ref("user")}},
}


def condition(handle: str = "handle", count: int = 1, timeout: int = 600) -> dict[str, Any]:
    properties = {"Handle": cfn_ref(handle), "Count": str(count), "Timeout": str(timeout)}
    return {"Type": "AWS::CloudFormation::WaitCondition", "Properties": properties}


def instance(user_data: Any, metadata: Any) -> dict[str, Any]:
    given = {"ImageId": "debian-12", "InstanceType": "m1.small", "SubnetId": NETWORK, "UserData": user_data}
    return {"Type": "AWS::EC2::Instance", "Properties": given, "Metadata": metadata}


def hot_server(user_data: Any) -> dict[str, Any]:
    """A server of Nova with the files for the cfn tools, which is its default."""
    given = machine(user_data=user_data)
    return {"Type": given["type"], "Properties": given["properties"]}


def signal(*options: Any) -> list[Any]:
    return ["cfn-signal ", *options, " '", cfn_ref("handle"), "'"]


def test_cfn_init_configures_an_instance(site: Site, make: Make) -> None:
    """And cfn-signal ends the wait, by a URL with a signature of version 2."""
    init = {
        "configSets": {"default": ["first", "second"]},
        "first": {
            "files": {
                "/etc/app.conf": {"content": {"Fn::Join": ["", ["name=", cfn_ref("AWS::StackName")]]}},
                "/etc/app.json": {"content": {"a": [1, 2]}, "mode": "000600"},
            },
            "groups": {"ops": {}},
            "users": {"app": {"groups": ["ops"], "homeDir": "/srv"}},
        },
        "second": {"commands": {"1": {"command": "cat /etc/app.conf >/root/seen; id -un app >>/root/seen"}}},
    }
    resources = {
        "handle": HANDLE,
        "condition": condition(),
        "instance": instance(
            boot(
                ["cfn-init -s ", cfn_ref("AWS::StackName"), " -r instance"],
                signal("-e $? -d done -r ok -i 1"),
            ),
            {"AWS::CloudFormation::Init": init},
        ),
    }
    path = make(resources, Outputs={"data": {"Value": got("condition", "Data")}})

    id, name = site.id_of(path, "instance"), path.split("/")[2]
    assert site.run(id, "cat /root/seen; stat -c %a /etc/app.json") == f"name={name}app\n600\n"
    assert site.outputs(path) == {"data": '{"1": "done"}'}


def test_each_signal_of_several_counts(site: Site, make: Make) -> None:
    lines = [signal(f"-i {n} -d {n}") for n in ("a", "b", "b")]
    resources = {
        "handle": HANDLE,
        "condition": condition(count=2),
        "server": hot_server(script(*lines)),
    }
    path = make(resources, Outputs={"data": {"Value": got("condition", "Data")}})

    assert site.outputs(path) == {"data": '{"a": "a", "b": "b"}'}


def test_a_failure_is_signalled_with_its_reason(site: Site, make: Make) -> None:
    resources = {
        "handle": HANDLE,
        "condition": condition(),
        "server": hot_server(script("false", signal("-e $? -r 'no such package'"))),
    }
    path = make(resources, wait=False)

    assert site.ended(path)["stack_status"] == "CREATE_FAILED"
    assert "no such package" in site.failure(path, "condition")


def test_a_url_is_for_its_resource_only(site: Site, make: Make) -> None:
    """A changed path is not what was signed."""
    resources = {
        "handle": HANDLE,
        "other": HANDLE,
        "condition": condition("other", timeout=2),
        "server": hot_server(
            script(
                ["url='", cfn_ref("handle"), "'"],
                'cfn-signal "$(echo $url | sed s/handle/other/)"',
                "echo $? >/root/code",
            )
        ),
    }
    path = make(resources, wait=False)

    assert "0 of 1 received" in site.ended(path)["stack_status_reason"]
    until(lambda: site.run(site.id_of(path, "server"), "cat /root/code 2>/dev/null || true") == "22\n")


def test_metadata_is_read_from_the_stack(site: Site, make: Make) -> None:
    """With keys of a user of the template, and cfn-hup acts when it changes."""

    def resources(word: str) -> dict[str, Any]:
        hook = "[hook]\\ntriggers=post.update\\npath=Resources.server.Metadata.word\\n"
        hook += f"action=echo changed >>{RUNS}\\nrunas=root\\n"
        main = [
            "printf '[main]\\nstack=%s\\ncredential-file=/etc/cfn/cfn-credentials\\n' ",
            cfn_ref("AWS::StackName"),
        ]
        return {
            **ACCOUNT,
            "handle": HANDLE,
            "condition": condition(),
            "server": {
                **hot_server(
                    script(
                        CREDENTIALS,
                        [*main, " >/etc/cfn/cfn-hup.conf"],
                        f"printf '{hook}' >/etc/cfn/hooks.conf",
                        ["cfn-get-metadata -s ", cfn_ref("AWS::StackName"), " -r server -k word >/root/word"],
                        "cfn-hup",
                        signal("-e $?"),
                    )
                ),
                "Metadata": {"word": word},
            },
        }

    path = make(resources("one"))
    id = site.id_of(path, "server")
    assert "one" in site.run(id, "cat /root/word")
    before = len(site.runs(id))
    site.run(id, "cfn-hup")
    assert len(site.runs(id)) == before
    site.update(path, resources("two"))
    site.run(id, "cfn-hup; cfn-hup")

    assert len(site.runs(id)) == before + 1


def test_a_restarter_recreates_its_server(site: Site, make: Make) -> None:
    """On a signal to its URL, as an alarm would send it."""
    resources = {
        "server": hot_server(script("date")),
        "restarter": {
            "Type": "OS::Heat::HARestarter",
            "Properties": {"InstanceId": cfn_ref("server")},
        },
    }
    path = make(resources, Outputs={"url": {"Value": got("restarter", "AlarmUrl")}})
    before = site.id_of(path, "server")
    site.run(before, f"curl -sf -X POST '{site.outputs(path)['url']}'")

    until(lambda: site.id_of(path, "server") not in (None, "None", before))
    until(lambda: site.resource(path, "server")["resource_status"] == "CREATE_COMPLETE")
    assert site.run(site.id_of(path, "server"), "echo here") == "here\n"


def test_statistics_need_a_cloudwatch_api(site: Site, make: Make) -> None:
    """Calor has none, and cfn-push-stats says where it looked."""
    resources = {
        **ACCOUNT,
        "handle": HANDLE,
        "condition": condition(),
        "server": hot_server(script(CREDENTIALS, signal(""))),
    }
    path = make(resources)
    tried = (
        "cfn-push-stats --watch w --credential-file /etc/cfn/cfn-credentials --mem-util 2>&1 || echo failed"
    )

    said = site.run(site.id_of(path, "server"), tried)
    assert said.startswith("cfn-push-stats: POST http://127.0.0.1:8003/v1/: ")
    assert said.endswith("failed\n")
