"""The tools, run as programs on a server."""

from __future__ import annotations

import json
import os
import socket
import threading
from pathlib import Path
from typing import Any
from unittest import mock
from urllib.parse import parse_qsl

import pytest

from calor_guest.cfn import create_aws_symlinks, endpoints, haproxy, push_stats
from calor_guest.cfn.places import Places
from calor_guest.common.http import VERIFIED
from tests.unit.guest.cfn.conftest import ACCESS, SECRET, Api, Guest

INITIAL = "/var/lib/heat-cfntools/cfn-init-data"
LAST = "/var/cache/heat-cfntools/last_metadata"
KEYS = ("--access-key", ACCESS, "--secret-key", SECRET)
OF_WEB = ("-s", "stack", "-r", "web")
CREDENTIALS = f"AWSAccessKeyId={ACCESS}\nAWSSecretKey={SECRET}\n"


def init(**config: Any) -> dict[str, Any]:
    return {"AWS::CloudFormation::Init": {"config": config}}


class TestInit:
    def test_it_asks_the_stack_with_a_signed_request(self, guest: Guest, api: Api, tmp_path: Path) -> None:
        guest.knows(api)
        api.has(init(files={str(tmp_path / "file"): {"content": "from the stack"}}))
        done = guest.run("init", *OF_WEB, *KEYS)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "file").read_text() == "from the stack"
        (request,) = api.requests
        assert (request.verb, request.path, request.is_signed) == ("GET", "/v1/", True)
        wanted = {
            "Action": "DescribeStackResource",
            "StackName": "stack",
            "LogicalResourceId": "web",
            "ContentType": "JSON",
        }
        assert wanted.items() <= request.query.items()
        assert guest.read(LAST) == guest.read(f"{LAST}_web")

    def test_without_credentials_it_reads_what_the_server_was_created_with(
        self, guest: Guest, tmp_path: Path
    ) -> None:
        guest.write(INITIAL, init(commands={"a": {"command": f"touch {tmp_path}/file"}}))
        assert guest.run("init").returncode == 0
        assert (tmp_path / "file").exists()

    def test_if_the_stack_does_not_respond_files_are_used(
        self, guest: Guest, api: Api, tmp_path: Path
    ) -> None:
        guest.knows(api)
        api.status = [403]
        guest.write(INITIAL, init(commands={"a": {"command": f"touch {tmp_path}/file"}}))
        done = guest.run("init", *OF_WEB, *KEYS)
        assert done.returncode == 0
        assert "the metadata is taken from files" in done.stderr
        assert (tmp_path / "file").exists()

    def test_sections_are_processed_in_order(self, guest: Guest, tmp_path: Path) -> None:
        config = init(
            commands={"a": {"command": f"cat {tmp_path}/file > {tmp_path}/copy"}},
            files={str(tmp_path / "file"): {"content": "x"}},
        )
        guest.write(INITIAL, config)
        assert guest.run("init").returncode == 0
        assert (tmp_path / "copy").read_text() == "x"

    def test_config_sets_are_selected(self, guest: Guest, tmp_path: Path) -> None:
        section = {
            "configSets": {"default": ["one"], "all": [{"ConfigSet": "default"}, "two"]},
            "one": {"commands": {"a": {"command": f"echo 1 >> {tmp_path}/file"}}},
            "two": {"commands": {"a": {"command": f"echo 2 >> {tmp_path}/file"}}},
        }
        guest.write(INITIAL, {"AWS::CloudFormation::Init": section})
        assert guest.run("init", "-c", "all").returncode == 0
        assert (tmp_path / "file").read_text().split() == ["1", "2"]

    @pytest.mark.parametrize("metadata", [{}, {"AWS::CloudFormation::Init": {}}, [1]])
    def test_metadata_without_configuration_is_an_error(self, guest: Guest, metadata: object) -> None:
        guest.write(INITIAL, metadata)
        done = guest.run("init")
        assert done.returncode == 1
        assert "cfn-init: the metadata has no AWS::CloudFormation::Init" in done.stderr

    def test_a_failing_command_is_an_error_with_its_words(self, guest: Guest) -> None:
        guest.write(INITIAL, init(commands={"a": {"command": "echo why >&2; exit 1"}}))
        done = guest.run("init")
        assert done.returncode == 1
        assert "the command a failed: why" in done.stderr

    def test_packages_that_cannot_be_installed_are_an_error_but_the_rest_is_done(
        self, guest: Guest, tmp_path: Path
    ) -> None:
        config = init(
            packages={"zypper": {"x": []}},
            sources={str(tmp_path / "target"): "http://127.0.0.1:1/a.tgz"},
            commands={"a": {"command": f"touch {tmp_path}/file"}},
        )
        guest.write(INITIAL, config)
        done = guest.run("init")
        assert done.returncode == 1
        assert "packages of zypper are not installed" in done.stderr
        assert "http://127.0.0.1:1/a.tgz is not unpacked" in done.stderr
        assert (tmp_path / "file").exists()

    def test_the_log_is_private(self, guest: Guest) -> None:
        guest.write(INITIAL, init(commands={"a": {"command": "echo secret"}}))
        guest.run("init")
        assert (guest.root / "var/log/cfn-init.log").stat().st_mode & 0o777 == 0o600
        assert "secret" in guest.read("/var/log/cfn-init.log")


class TestGetMetadata:
    def test_it_prints_metadata_or_a_key_as_json(self, guest: Guest, api: Api) -> None:
        guest.knows(api)
        credentials = guest.write("/etc/cfn/cfn-credentials", CREDENTIALS)
        api.has({"a": {"b.c": [1]}})
        done = guest.run("get_metadata", *OF_WEB, "--credential-file", str(credentials))
        assert (done.returncode, json.loads(done.stdout)) == (0, {"a": {"b.c": [1]}})
        assert guest.run("get_metadata", *OF_WEB, *KEYS, "-k", "a.'b.c'").stdout == "[1]\n"
        assert guest.run("get_metadata", *OF_WEB, *KEYS, "-k", "a.b").stdout == ""
        assert all(request.is_signed for request in api.requests)

    def test_the_url_may_be_given(self, guest: Guest, api: Api) -> None:
        api.has({"a": 1})
        done = guest.run("get_metadata", *OF_WEB, *KEYS, "-u", f"{api.url}/v1")
        assert done.stdout == '{"a": 1}\n'

    def test_no_metadata_is_an_error(self, guest: Guest) -> None:
        done = guest.run("get_metadata", *OF_WEB)
        assert (done.returncode, done.stdout) == (1, "")
        assert "cfn-get-metadata: there is no metadata" in done.stderr

    def test_names_are_required(self, guest: Guest) -> None:
        assert guest.run("get_metadata", "-s", "stack").returncode == 2
        assert guest.run("get_metadata", "-s", "", "-r", "web").returncode == 2


class TestSignal:
    def sent(self, guest: Guest, api: Api, *arguments: str) -> dict[str, str]:
        done = guest.run("signal", *arguments, f"{api.url}/v1/waitcondition/arn%3Ax?Signature=abc%2B")
        assert done.returncode == 0, done.stderr
        request = api.requests.pop()
        assert (request.verb, request.path) == ("PUT", "/v1/waitcondition/arn%3Ax")
        assert request.query == {"Signature": "abc+"}
        assert request.headers["content-type"] == ""
        body: dict[str, str] = json.loads(request.body)
        return body

    def test_success_is_the_default(self, guest: Guest, api: Api) -> None:
        assert self.sent(guest, api) == {
            "Status": "SUCCESS",
            "Reason": "Configuration Complete",
            "UniqueId": "server-1",
            "Data": "Application has completed configuration.",
        }

    def test_what_is_sent_can_be_chosen(self, guest: Guest, api: Api) -> None:
        arguments = ("-s", "false", "-r", "why", "-d", "data", "-i", "7")
        assert self.sent(guest, api, *arguments) == {
            "Status": "FAILURE",
            "Reason": "why",
            "UniqueId": "7",
            "Data": "data",
        }

    @pytest.mark.parametrize(
        ("arguments", "status"),
        [
            (("-e", "0"), "SUCCESS"),
            (("-e", "1"), "FAILURE"),
            (("--exit", "1"), "FAILURE"),
            (("-e", "0", "-s", "false"), "SUCCESS"),
            (("-s", "yes"), "FAILURE"),
        ],
    )
    def test_an_exit_code_wins(self, guest: Guest, api: Api, arguments: tuple[str, ...], status: str) -> None:
        assert self.sent(guest, api, *arguments)["Status"] == status

    def test_it_is_repeated_if_the_stack_is_busy(self, guest: Guest, api: Api) -> None:
        api.status = [503, 200]
        assert guest.run("signal", f"{api.url}/x").returncode == 0
        assert len(api.requests) == 2
        assert api.requests[0].body == api.requests[1].body

    def test_a_refusal_is_an_error(self, guest: Guest, api: Api) -> None:
        api.status, api.body = [403], b"not allowed"
        done = guest.run("signal", f"{api.url}/x?Signature=secret")
        assert done.returncode == 22
        assert "403" in done.stderr
        assert "not allowed" in done.stderr
        assert "secret" not in done.stderr
        assert len(api.requests) == 1

    def test_only_http_urls_are_signalled(self, guest: Guest, tmp_path: Path) -> None:
        done = guest.run("signal", f"file://{tmp_path}/x")
        assert done.returncode == 7
        assert "is not an HTTP URL" in done.stderr


class TestHup:
    @pytest.fixture
    def hooked(self, guest: Guest, api: Api) -> Guest:
        guest.knows(api)
        credentials = guest.write("/etc/cfn/cfn-credentials", CREDENTIALS)
        guest.write("/etc/cfn/cfn-hup.conf", f"[main]\nstack=stack\ncredential-file={credentials}\n")
        self.hook(guest, "update", "post.update", f"echo %c%% >> {guest.root}/updated")
        return guest

    def hook(self, guest: Guest, name: str, triggers: str, action: str, resource: str = "web") -> None:
        lines = (
            f"[{name}]",
            f"triggers={triggers}",
            f"path=Resources.{resource}.Metadata.AWS::CloudFormation::Init",
            "runas=root",
            f"action={action}",
        )
        guest.write(f"/etc/cfn/hooks.d/{name}.conf", "\n".join(lines) + "\n")

    def test_hooks_run_once_for_each_change(self, hooked: Guest, api: Api) -> None:
        api.has({"version": 1})
        for _ in range(2):
            done = hooked.run("hup")
            assert done.returncode == 0, done.stderr
        assert hooked.read("updated").count("\n") == 1
        api.has({"version": 2})
        hooked.run("hup")
        assert hooked.read("updated").count("\n") == 2
        assert all(request.is_signed for request in api.requests)

    def test_hooks_of_other_resources_and_events_do_not_run(self, hooked: Guest, api: Api) -> None:
        self.hook(hooked, "other", "post.update", f"echo x >> {hooked.root}/other", resource="other")
        self.hook(hooked, "added", "post.add, service.restarted", f"touch {hooked.root}/added")
        for version in (1, 2):
            api.has({"version": version}, "web")
            api.has({"version": 0}, "other")
            hooked.run("hup")
        assert hooked.read("updated").count("\n") == 2
        assert hooked.read("other").count("\n") == 1
        assert not (hooked.root / "added").exists()

    def test_a_failing_hook_is_logged(self, hooked: Guest, api: Api) -> None:
        self.hook(hooked, "update", "post.update", "echo why >&2; exit 1")
        api.has({})
        done = hooked.run("hup")
        assert done.returncode == 0
        assert "the hook update failed: why" in done.stderr

    def test_settings_are_required(self, guest: Guest) -> None:
        done = guest.run("hup")
        assert done.returncode == 1
        assert "cfn-hup.conf" in done.stderr
        credentials = guest.write("/etc/cfn/cfn-credentials", CREDENTIALS)
        guest.write("/etc/cfn/cfn-hup.conf", f"[main]\nstack=stack\ncredential-file={credentials}\n")
        done = guest.run("hup", "-c", "/no/such/folder")
        assert done.returncode == 1
        assert "there are no hooks" in done.stderr

    def test_unknown_metadata_is_an_error(self, hooked: Guest, api: Api) -> None:
        api.status = [500]
        done = hooked.run("hup")
        assert done.returncode == 1
        assert "the metadata of web is unknown" in done.stderr


class TestPushStats:
    @pytest.fixture
    def reporting(self, guest: Guest, api: Api) -> Guest:
        guest.knows(api)
        guest.write("/etc/cfn/cfn-credentials", CREDENTIALS)
        return guest

    def test_metrics_are_posted_with_the_tags_of_the_server(self, reporting: Guest, api: Api) -> None:
        port = f"http://127.0.0.1:{api.port}/v1/"
        metric = ("--metric", "Depth", "--units", "Count", "--value", "7")
        done = _with_cloudwatch_at(port, reporting, "--watch", "alarm", *metric, "--heartbeat")
        assert done == 0
        sent = [dict(parse_qsl(request.body.decode())) for request in api.requests]
        assert [request["MetricData.member.1.MetricName"] for request in sent] == ["Depth", "Heartbeat"]
        first = sent[0]
        assert (first["Action"], first["Namespace"]) == ("PutMetricData", "system/linux")
        assert (first["MetricData.member.1.Value"], first["MetricData.member.1.Unit"]) == ("7", "Count")
        dimensions = {
            first[f"MetricData.member.1.Dimensions.member.{n}.Name"]: first[
                f"MetricData.member.1.Dimensions.member.{n}.Value"
            ]
            for n in (1, 2, 3)
        }
        assert dimensions == {"AlarmName": "alarm", "InstanceId": "server-1", "role": "web"}
        for request, params in zip(api.requests, sent, strict=True):
            request.query = params
            assert (request.verb, request.is_signed) == ("POST", True)

    def test_every_figure_has_its_name_and_unit(self, reporting: Guest, api: Api) -> None:
        options = ("mem-util", "mem-used", "mem-avail", "swap-util", "swap-used", "service-failure")
        disks = ("disk-space-util", "disk-space-used", "disk-space-avail", "cpu-util")
        port = f"http://127.0.0.1:{api.port}/v1/"
        arguments = [f"--{name}" for name in (*options, *disks)]
        assert _with_cloudwatch_at(port, reporting, *arguments, "--disk-units", "gigabytes") == 0
        sent = [dict(parse_qsl(request.body.decode())) for request in api.requests]
        units = {
            request["MetricData.member.1.MetricName"]: request["MetricData.member.1.Unit"] for request in sent
        }
        assert units == {
            "ServiceFailure": "Counter",
            "MemoryUtilization": "Percent",
            "MemoryUsed": "megabytes",
            "MemoryAvailable": "megabytes",
            "SwapUtilization": "Percent",
            "SwapUsed": "megabytes",
            "DiskSpaceUtilization": "Percent",
            "DiskSpaceUsed": "gigabytes",
            "DiskSpaceAvailable": "gigabytes",
            "CPUUtilization": "Percent",
        }
        assert all(float(request["MetricData.member.1.Value"]) >= 0 for request in sent)

    def test_nothing_is_sent_if_nothing_is_asked_for(self, reporting: Guest, api: Api) -> None:
        assert reporting.run("push_stats").returncode == 0
        assert api.requests == []

    def test_missing_credentials_are_an_error(self, guest: Guest) -> None:
        done = guest.run("push_stats", "--heartbeat")
        assert done.returncode == 1
        assert "cfn-credentials" in done.stderr


def _with_cloudwatch_at(url: str, guest: Guest, *arguments: str) -> int:
    """The port of the CloudWatch API is fixed: here it is another one."""
    endpoint = endpoints.Endpoint(url, VERIFIED)
    with mock.patch.object(push_stats.endpoints, "cloudwatch", return_value=endpoint):
        return push_stats.main(list(arguments), Places(str(guest.root)))


def test_haproxy_is_asked_at_its_socket(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(str(tmp_path / "stats"))
        server.listen()

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(connection.recv(100).upper())

        threading.Thread(target=answer, daemon=True).start()
        assert haproxy.ask(str(tmp_path / "stats")) == "SHOW STAT\n"


class TestCreateAwsSymlinks:
    def links(self, tmp_path: Path, *more: str) -> int:
        folders = ["-s", str(tmp_path / "bin"), "-t", str(tmp_path / "aws/bin")]
        return create_aws_symlinks.main([*folders, *more])

    def test_tools_are_linked(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "bin").mkdir()
        for name in ("cfn-init", "cfn-hup", "other"):
            (tmp_path / "bin" / name).touch()
        assert self.links(tmp_path) == 0
        assert sorted(os.listdir(tmp_path / "aws/bin")) == ["cfn-hup", "cfn-init"]
        assert os.readlink(tmp_path / "aws/bin/cfn-init") == str(tmp_path / "bin/cfn-init")
        assert f"{tmp_path}/bin/cfn-hup -> {tmp_path}/aws/bin/cfn-hup" in capsys.readouterr().out

    def test_what_exists_stays_unless_forced(self, tmp_path: Path) -> None:
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin/cfn-init").touch()
        (tmp_path / "aws/bin").mkdir(parents=True)
        (tmp_path / "aws/bin/cfn-init").write_text("mine")
        assert self.links(tmp_path) == 0
        assert (tmp_path / "aws/bin/cfn-init").read_text() == "mine"
        assert self.links(tmp_path, "--force") == 0
        assert (tmp_path / "aws/bin/cfn-init").is_symlink()

    def test_a_folder_is_not_linked_into_itself(self, tmp_path: Path) -> None:
        assert create_aws_symlinks.main(["-s", str(tmp_path), "-t", str(tmp_path)]) == 1
