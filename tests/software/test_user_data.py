"""User data from resources, which servers run when they boot; here they signal when they have."""

from __future__ import annotations

from typing import Any

from tests.software.conftest import Make
from tests.software.site import Site, attr, config, machine, ref

HANDLE = {"type": "OS::Heat::WaitConditionHandle"}


def condition(handle: str = "handle", count: int = 1, timeout: int = 600) -> dict[str, Any]:
    properties = {"handle": ref(handle), "count": count, "timeout": timeout}
    return {"type": "OS::Heat::WaitCondition", "properties": properties}


def notifying(command: str, **more: object) -> dict[str, Any]:
    """A script with NOTIFY in place of the command that signals."""
    values = {"NOTIFY": attr("handle", "curl_cli"), **more}
    return {"str_replace": {"template": f"#!/bin/sh\n{command}\n", "params": values}}


def test_a_cloud_config_is_applied(site: Site, make: Make) -> None:
    document = {
        "write_files": [{"path": "/etc/greeting", "content": "hello"}],
        "runcmd": [notifying("NOTIFY --data-binary '{}'")],
    }
    resources = {
        "handle": HANDLE,
        "boot": {"type": "OS::Heat::CloudConfig", "properties": {"cloud_config": document}},
        "server": machine(user_data_format="RAW", user_data=ref("boot")),
        "condition": condition(),
    }
    path = make(resources)

    assert site.run(site.id_of(path, "server"), "cat /etc/greeting") == "hello"


def test_parts_of_a_message_are_all_applied(site: Site, make: Make) -> None:
    """Configs by their ids, text, and the parts of another message."""
    inner = {
        "type": "OS::Heat::MultipartMime",
        "properties": {
            "parts": [{"config": "#!/bin/sh\necho inner >>/root/seen", "subtype": "x-shellscript"}]
        },
    }
    outer = {
        "type": "OS::Heat::MultipartMime",
        "properties": {
            "parts": [
                {"config": ref("document"), "subtype": "cloud-config"},
                {"config": ref("script"), "filename": "1.sh", "subtype": "x-shellscript"},
                {"config": ref("inner"), "type": "multipart"},
                {"config": notifying("cat /etc/greeting >>/root/seen; NOTIFY --data-binary '{}'")},
            ]
        },
    }
    resources = {
        "handle": HANDLE,
        "document": {
            "type": "OS::Heat::CloudConfig",
            "properties": {"cloud_config": {"write_files": [{"path": "/etc/greeting", "content": "hi\n"}]}},
        },
        "script": config("#!/bin/sh\necho first >>/root/seen"),
        "inner": inner,
        "outer": outer,
        "server": machine(user_data_format="RAW", user_data=ref("outer")),
        "condition": condition(),
    }
    path = make(resources)

    assert site.run(site.id_of(path, "server"), "cat /root/seen") == "first\ninner\nhi\n"


class TestWaitConditions:
    def test_data_of_several_signals(self, site: Site, make: Make) -> None:
        command = """
for n in 1 2; do
  NOTIFY --data-binary '{"status": "SUCCESS", "id": "'$n'", "reason": "step '$n'", "data": "done '$n'"}'
done"""
        resources = {
            "handle": HANDLE,
            "server": machine(user_data_format="RAW", user_data=notifying(command)),
            "condition": condition(count=2),
        }
        path = make(resources, outputs={"data": {"value": attr("condition", "data")}})

        assert site.outputs(path) == {"data": '{"1": "done 1", "2": "done 2"}'}

    def test_a_failure_has_a_reason(self, site: Site, make: Make) -> None:
        command = """NOTIFY --data-binary '{"status": "FAILURE", "reason": "no disk"}'"""
        resources = {
            "handle": HANDLE,
            "server": machine(user_data_format="RAW", user_data=notifying(command)),
            "condition": condition(),
        }
        path = make(resources, wait=False)

        assert site.ended(path)["stack_status"] == "CREATE_FAILED"
        assert "WaitConditionFailure" in site.failure(path, "condition")
        assert "no disk" in site.failure(path, "condition")

    def test_too_few_signals(self, site: Site, make: Make) -> None:
        resources = {
            "handle": HANDLE,
            "server": machine(user_data_format="RAW", user_data=notifying("NOTIFY --data-binary '{}'")),
            "first": condition(),
            "condition": {**condition(count=2, timeout=1), "depends_on": "first"},
        }
        path = make(resources, wait=False)

        assert site.ended(path)["stack_status"] == "CREATE_FAILED"
        assert "WaitConditionTimeout" in site.failure(path, "condition")
        assert "1 of 2 received" in site.failure(path, "condition")

    def test_a_handle_of_the_object_store(self, site: Site, make: Make) -> None:
        handle = {"type": "OS::Heat::SwiftSignalHandle"}
        signal = {
            "type": "OS::Heat::SwiftSignal",
            "properties": {"handle": ref("handle"), "timeout": 600, "count": 1},
        }
        command = """NOTIFY --data-binary '{"data": "from the server"}'"""
        resources = {
            "handle": handle,
            "server": machine(user_data_format="RAW", user_data=notifying(command)),
            "condition": signal,
        }
        path = make(resources, outputs={"data": {"value": attr("condition", "data")}})

        assert site.outputs(path) == {"data": '{"1": "from the server"}'}
