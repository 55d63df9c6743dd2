"""What the sources ask for, and what they make of the answers."""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import socket
import struct
import threading
from pathlib import Path

import pytest

from calor_guest.collect import config_drive, poll
from calor_guest.collect.cache import Cache
from calor_guest.collect.options import Settings, read
from calor_guest.collect.source import MetadataSource, NotAvailable, NotConfigured
from calor_guest.collect.sources.request import is_same, seen
from tests.unit.guest.collect.stand_in import Answer, StandIn, as_json

DATA = {"name": "data", "group": "Heat::Ungrouped", "config": {"x": 1}}
METADATA = {"deployments": [DATA, {"name": "script", "group": "script", "config": "echo"}, {"no": "name"}]}
ITEMS = [METADATA, {"x": 1}]


def settings(*arguments: str) -> Settings:
    return read(["--config-file", "/dev/null", *arguments])


def source(name: str, *arguments: str) -> MetadataSource:
    (made,) = poll.configured_sources(settings(*arguments, name))
    return made


def credentials(name: str, service: StandIn) -> list[str]:
    given = {"user-id": "u", "password": "p", "project-id": "j", "auth-url": service.url + "/v2.0"}
    return [part for key, value in given.items() for part in (f"--{name}-{key}", value)]


def heat(service: StandIn, *more: str) -> MetadataSource:
    return source(
        "heat", *credentials("heat", service), "--heat-stack-id", "s/1", "--heat-resource-name", "r/2", *more
    )


PATH = "/heat/stacks/s/1/resources/r%2F2/metadata"


def test_heat_logs_in_once_and_again_when_its_token_is_refused(service: StandIn) -> None:
    service.has_identity(orchestration="/heat")
    service.answers(f"GET {PATH}", {"metadata": METADATA})
    collector = heat(service)
    for _ in range(2):
        assert collector.collect() == [("heat", METADATA), ("data", {"x": 1})]
    assert service.asked("POST", "/v3/auth/tokens") == 1
    refused = iter([as_json({}, 401)])
    service.routes[f"GET {PATH}"] = lambda request: next(refused, as_json({"metadata": METADATA}))
    assert collector.collect()[0] == ("heat", METADATA)
    assert service.asked("POST", "/v3/auth/tokens") == 2


def test_log_ins_can_be_kept_for_other_runs(service: StandIn, tmp_path: Path) -> None:
    service.has_identity(orchestration="/heat")
    service.answers(f"GET {PATH}", {"metadata": METADATA})
    folder = tmp_path / "kept"
    for _ in range(2):
        heat(service, "--keystone-cache_dir", str(folder)).collect()
    assert service.asked("POST", "/v3/auth/tokens") == 1
    (file,) = folder.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    for _ in range(2):
        heat(service, "--keystone-cache_dir", str(tmp_path / "other"), "--keystone-cache_ttl", "0").collect()
    assert service.asked("POST", "/v3/auth/tokens") == 3


def test_regions_choose_the_endpoint(service: StandIn) -> None:
    service.has_identity(orchestration="/heat")
    with pytest.raises(NotAvailable, match="no public endpoint"):
        heat(service, "--heat-region-name", "elsewhere").collect()


@pytest.mark.parametrize("answer", [as_json({}), Answer(b"text"), as_json({}, 500)])
def test_other_answers_are_not_available(service: StandIn, answer: Answer) -> None:
    service.has_identity(orchestration="/heat")
    service.routes[f"GET {PATH}"] = lambda request: answer
    with pytest.raises(NotAvailable):
        heat(service).collect()


@pytest.mark.parametrize("name", ["cfn", "heat", "request", "zaqar"])
def test_sources_without_settings_are_not_configured(name: str) -> None:
    with pytest.raises(NotConfigured):
        source(name).collect()


def cfn(service: StandIn, *more: str) -> MetadataSource:
    keys = ["--cfn-access-key-id", "a", "--cfn-secret-access-key", "s", "--cfn-stack-name", "n"]
    return source("cfn", "--cfn-metadata-url", f"{service.url}/v1/", *keys, *more)


def test_cfn_merges_its_paths(service: StandIn) -> None:
    service.has_resource({"a": {"b": {"c": 1}}, "d": 2})
    collector = cfn(service, "--cfn-path", "one.Metadata.a.b", "--cfn-path", "two.Metadata")
    assert collector.collect() == [("cfn", {"c": 1, "a": {"b": {"c": 1}}, "d": 2})]
    assert [request.query["LogicalResourceId"] for request in service.requests] == ["one", "two"]
    assert service.requests[0].headers["content-type"] == "application/json"


def test_cfn_reads_its_url_from_the_file_of_the_server(service: StandIn, tmp_path: Path) -> None:
    service.has_resource(METADATA)
    hint = tmp_path / "hint"
    for text in (service.url, f"{service.url}/v1/\n"):
        hint.write_text(text)
        keys = ["--cfn-access-key-id", "a", "--cfn-secret-access-key", "s", "--cfn-path", "r.Metadata"]
        collector = source("cfn", "--cfn-heat-metadata-hint", str(hint), *keys)
        assert [value for _, value in collector.collect()] == ITEMS


@pytest.mark.parametrize("path", ["r.Metadata.missing", "r.Other", "r.Metadata.deployments"])
def test_cfn_paths_that_lead_nowhere(service: StandIn, path: str) -> None:
    service.has_resource(METADATA)
    with pytest.raises(NotAvailable):
        cfn(service, "--cfn-path", path).collect()


def test_cfn_errors_do_not_show_signatures(service: StandIn) -> None:
    service.routes["GET /v1/"] = lambda request: Answer(b"<html>", 403)
    with pytest.raises(NotAvailable) as found:
        cfn(service, "--cfn-path", "r.Metadata").collect()
    assert "Signature" not in str(found.value)
    service.routes["GET /v1/"] = lambda request: Answer(b"not XML")
    with pytest.raises(NotAvailable, match="not XML"):
        cfn(service, "--cfn-path", "r.Metadata").collect()


OLD = "Mon, 02 Jan 2023 03:04:05 GMT"


def test_content_is_fetched_again_only_if_it_is_newer(service: StandIn) -> None:
    service.answers("GET /data", METADATA)
    service.answers("HEAD /data", {}, **{"Last-Modified": OLD})
    collector = source("request", "--request-metadata-url", service.url + "/data")
    assert [value for _, value in collector.collect()] == ITEMS
    with pytest.raises(NotAvailable):
        collector.collect()
    assert service.asked("GET", "/data") == 1
    service.answers("HEAD /data", {}, **{"Last-Modified": "Mon, 02 Jan 2023 03:04:06 GMT"})
    collector.collect()
    service.routes["HEAD /data"] = lambda request: Answer(status=405)
    collector.collect()
    assert service.asked("GET", "/data") == 3


def test_content_that_may_change_within_the_same_second_is_fetched_again() -> None:
    fresh = {"last-modified": OLD, "date": "Mon, 02 Jan 2023 03:04:06 GMT"}
    settled = {"last-modified": OLD, "date": "Mon, 02 Jan 2023 03:04:07 GMT"}
    assert not is_same(fresh, seen(fresh, 0))
    assert is_same(settled, seen(settled, 0))
    tagged = {**fresh, "etag": "1"}
    assert is_same(tagged, seen(tagged, 0))
    assert not is_same({**tagged, "etag": "2"}, seen(tagged, 0))
    assert seen({}, 0) is None


def test_ec2_metadata_is_a_tree_read_once(
    service: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config_drive, "metadata", dict)
    tree = {"": "id\nplacement/\npublic-keys/", "id": "i-1", "placement/": "zone", "placement/zone": "z"}
    tree.update(
        {"public-keys/": "0=mine", "public-keys/0/": "openssh-key", "public-keys/0/openssh-key": "ssh-rsa"}
    )
    for path, text in tree.items():
        service.routes[f"GET /meta/{path}"] = lambda request, text=text: Answer(text.encode())  # type: ignore[misc]
    given = ["--ec2-metadata-url", service.url + "/meta", "--cachedir", str(tmp_path)]
    expected = {"id": "i-1", "placement": {"zone": "z"}, "public-keys": {"0": {"openssh-key": "ssh-rsa"}}}
    assert source("ec2", *given).collect() == [("ec2", expected)]
    Cache(str(tmp_path)).store("ec2", expected)
    service.routes.clear()
    assert source("ec2", *given).collect() == [("ec2", expected)]


def test_a_tree_without_end_is_not_available(
    service: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config_drive, "metadata", dict)

    class Endless(dict[str, object]):
        def get(self, key: str, default: object = None) -> object:
            return lambda request: Answer(b"deeper/")

    service.routes = Endless()  # type: ignore[assignment]
    with pytest.raises(NotAvailable, match="too deep"):
        source("ec2", "--ec2-metadata-url", service.url, "--cachedir", str(tmp_path)).collect()


def test_config_drives_are_found_by_label_and_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drive = config_drive.parsed("DEVNAME=/dev/my\\ disk\nLABEL=config-2\nTYPE=iso9660\n")
    other = config_drive.parsed("DEVNAME=/dev/sda\nTYPE=xfs")
    assert (drive.name, drive.is_config_drive, other.is_config_drive) == ("/dev/my disk", True, False)
    monkeypatch.setattr(config_drive, "devices", lambda: [other, drive])
    (tmp_path / "mounts").write_text(f"/dev/my disk\n/dev/sr0 {tmp_path} iso9660 ro 0 0\n")
    monkeypatch.setattr(config_drive, "MOUNTS", str(tmp_path / "mounts"))
    monkeypatch.setattr(config_drive, "devices", lambda: [other, drive._replace(name="/dev/sr0")])
    assert config_drive.metadata() == {}
    folder = tmp_path / "ec2" / "latest"
    folder.mkdir(parents=True)
    (folder / "meta-data.json").write_text('{"id": "i"}')
    assert config_drive.metadata() == {"id": "i"}


def test_local_files_are_read_in_order_and_only_if_nobody_else_may_write_them(tmp_path: Path) -> None:
    for name in ("b", "a", "B", ".hidden"):
        (tmp_path / name).write_text(json.dumps(name))
    (tmp_path / "folder").mkdir()
    assert source("local", "--local-path", str(tmp_path)).collect() == [("B", "B"), ("a", "a"), ("b", "b")]
    (tmp_path / "a").chmod(0o666)
    with pytest.raises(NotAvailable, match="a is world writable"):
        source("local", "--local-path", str(tmp_path)).collect()
    (tmp_path / "a").chmod(0o600)
    tmp_path.chmod(0o777)
    with pytest.raises(NotAvailable, match="world writable"):
        source("local", "--local-path", str(tmp_path)).collect()
    assert source("local", "--local-path", str(tmp_path / "missing")).collect() == []


def test_problems_are_logged_once_while_they_last(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    collectors = poll.configured_sources(
        settings("heat_local", "--heat_local-path", str(tmp_path / "missing"))
    )
    with caplog.at_level(logging.INFO, "os-collect-config"):
        for _ in range(3):
            assert poll.collect(collectors) == {}
    assert len(caplog.records) == 1


def test_deployments_never_replace_other_metadata(service: StandIn, tmp_path: Path) -> None:
    found = {
        "deployments": [{"name": name, "config": {"n": n}} for n, name in enumerate(["request", "a", "a"])]
    }
    service.answers("GET /data", found)
    collectors = poll.configured_sources(settings("request", "--request-metadata-url", service.url + "/data"))
    cache = Cache(str(tmp_path / "cache"))
    collected = poll.store(collectors, cache, str(tmp_path / "backup"))
    names = [Path(path).name for path in collected.paths]
    assert names == ["request.json", "request-2.json", "a.json", "a-2.json"]
    assert cache.read("request") == found
    for name in collected.changed:
        cache.commit(name)
    assert not poll.store(collectors, cache, str(tmp_path / "backup")).changed


def test_unknown_collectors_are_named() -> None:
    with pytest.raises(ValueError, match=r"Unknown collectors colour\. Valid"):
        poll.configured_sources(settings("heat", "colour"))


def zaqar(service: StandIn, *more: str) -> MetadataSource:
    return source("zaqar", *credentials("zaqar", service), "--zaqar-queue-id", "q/1", *more)


def test_a_message_is_popped_from_the_queue(service: StandIn) -> None:
    service.has_identity(messaging="/zaqar")
    answers = iter(
        [as_json({"messages": [{"body": METADATA}]}), as_json({"messages": []}), Answer(status=204)]
    )
    service.routes["DELETE /zaqar/v2/queues/q%2F1/messages"] = lambda request: next(answers)
    collector = zaqar(service)
    assert [value for _, value in collector.collect()] == ITEMS
    request = service.requests[-1]
    assert (request.query, request.headers["x-auth-token"]) == ({"pop": "1"}, "token")
    assert request.headers["client-id"]
    for _ in range(2):
        with pytest.raises(NotAvailable, match="no message"):
            collector.collect()


def test_verification_needs_certificates(service: StandIn) -> None:
    with pytest.raises(NotConfigured, match="CA file"):
        zaqar(service, "--zaqar-ssl-certificate-validation").collect()


class Messaging:
    """A WebSocket service for one connection, that answers each request from a list."""

    def __init__(self, *answers: object) -> None:
        self.asked: list[dict[str, object]] = []
        self._answers = answers
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"ws://127.0.0.1:{self._listening.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        connection, _ = self._listening.accept()
        with connection, connection.makefile("rb") as file:
            key = next(
                line for line in iter(file.readline, b"\r\n") if line.startswith(b"Sec-WebSocket-Key: ")
            )
            while file.readline() != b"\r\n":
                pass
            digest = hashlib.sha1(key[19:].strip() + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()
            lines = (
                b"HTTP/1.1 101 Switching Protocols",
                b"Sec-WebSocket-Accept: " + base64.b64encode(digest),
            )
            connection.sendall(b"\r\n".join((*lines, b"", b"")))
            for answer in self._answers:
                if not isinstance(answer, bytes):
                    self.asked.append(json.loads(self._received(file)))
                    content = json.dumps(answer).encode()
                    answer = struct.pack(">BBH", 0x81, 126, len(content)) + content
                connection.sendall(answer)
            file.read()

    def _received(self, file: object) -> bytes:
        read = file.read  # type: ignore[attr-defined]
        size = read(2)[1] & 0x7F
        if size == 126:
            (size,) = struct.unpack(">H", read(2))
        mask = read(4)
        return bytes(byte ^ mask[at % 4] for at, byte in enumerate(read(size)))

    def close(self) -> None:
        self._listening.close()
        self._thread.join(10)


def answer(body: object, status: int = 200) -> dict[str, object]:
    return {"request": {}, "headers": {"status": status}, "body": body}


PING = b"\x89\x02hi"


def test_messages_are_awaited_on_a_websocket(service: StandIn) -> None:
    reported = json.dumps({"body": METADATA}).encode()
    frames = (
        PING
        + struct.pack(">BBH", 0x01, 126, 10)
        + reported[:10]
        + struct.pack(">BBH", 0x80, 126, len(reported) - 10)
    )
    messaging = Messaging(
        answer({}), answer({}), answer({}), answer({"messages": []}), frames + reported[10:]
    )
    service.has_identity(**{"messaging-websocket": ""})
    service.answers("POST /v3/auth/tokens", _catalog(messaging.url), **{"X-Subject-Token": "token"})
    assert [value for _, value in zaqar(service, "--zaqar-use-websockets").collect()] == ITEMS
    messaging.close()
    assert [asked["action"] for asked in messaging.asked] == [
        "authenticate",
        "queue_create",
        "subscription_create",
        "message_delete_many",
    ]
    assert messaging.asked[0]["headers"]["X-Auth-Token"] == "token"  # type: ignore[index]


def test_a_message_that_waits_is_taken_at_once(service: StandIn) -> None:
    messaging = Messaging(answer({}), answer({}), answer({}), answer({"messages": [{"body": METADATA}]}))
    service.answers("POST /v3/auth/tokens", _catalog(messaging.url), **{"X-Subject-Token": "token"})
    assert [value for _, value in zaqar(service, "--zaqar-use-websockets").collect()] == ITEMS
    messaging.close()


def test_a_refusal_on_a_websocket_is_not_available(service: StandIn) -> None:
    messaging = Messaging(answer({"error": "no"}, 403))
    service.answers("POST /v3/auth/tokens", _catalog(messaging.url), **{"X-Subject-Token": "token"})
    with pytest.raises(NotAvailable, match="authenticate"):
        zaqar(service, "--zaqar-use-websockets").collect()
    messaging.close()


def test_what_is_not_a_websocket_is_not_available(service: StandIn) -> None:
    url = service.url.replace("http:", "ws:")
    service.answers("POST /v3/auth/tokens", _catalog(url), **{"X-Subject-Token": "token"})
    with pytest.raises(NotAvailable, match="does not speak WebSocket"):
        zaqar(service, "--zaqar-use-websockets").collect()


def _catalog(url: str) -> dict[str, object]:
    endpoint = {"interface": "public", "url": url}
    return {"token": {"catalog": [{"type": "messaging-websocket", "endpoints": [endpoint]}]}}
