"""Who may read and write images, volumes and objects: not with any token of a project, but with the right role."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.cloud import Cloud, by_password
from tests.support.storage import image_speaker, object_speaker, volume_speaker, wait_for

IMAGE = {"name": "x", "disk_format": "raw", "container_format": "bare"}
REFUSED = 403


class Asker:
    """Somebody with one token, who asks all three services."""

    def __init__(self, cloud: Cloud, token: str) -> None:
        self.cloud = cloud
        self.headers = {"X-Auth-Token": token, "OpenStack-API-Version": "volume 3.70"}

    def __call__(self, method: str, path: str, body: Any = None, **more: str) -> int:
        headers = {**self.headers, **more}
        answer = self.cloud.client.request(method, path, json=body, headers=headers)
        return int(answer.status_code)


@pytest.fixture
def paths(cloud: Cloud) -> dict[str, str]:
    """What there is in the project: an image, a volume and an object."""
    images, volumes, objects = image_speaker(cloud), volume_speaker(cloud), object_speaker(cloud)
    image = images("POST", "/images", IMAGE).json()["id"]
    volume = volumes("POST", "/volumes", {"volume": {"size": 1}}).json()["volume"]["id"]
    wait_for(volumes, f"/volumes/{volume}")
    assert objects("PUT", "/c").status_code == 201
    assert objects("PUT", "/c/o", content=b"data").status_code == 201
    return {
        "images": "/image/v2/images",
        "image": f"/image/v2/images/{image}",
        "volumes": f"{volumes.root}/volumes",
        "volume": f"{volumes.root}/volumes/{volume}",
        "root": volumes.root,
        "container": f"{objects.root}/c",
        "object": f"{objects.root}/c/o",
    }


def reads(ask: Asker, paths: dict[str, str]) -> dict[str, int]:
    data = f"{paths['image']}/file"
    transfers = f"{paths['root']}/volume-transfers"
    named = {name: paths[name] for name in ("images", "image", "volumes", "volume", "object")}
    return {name: ask("GET", path) for name, path in {**named, "data": data, "transfers": transfers}.items()}


def writes(ask: Asker, paths: dict[str, str]) -> dict[str, int]:
    patch = [{"op": "replace", "path": "/name", "value": "y"}]
    media = {"Content-Type": "application/openstack-images-v2.1-json-patch"}
    return {
        "create image": ask("POST", paths["images"], IMAGE),
        "change image": ask("PATCH", paths["image"], patch, **media),
        "upload image": ask(
            "PUT", f"{paths['image']}/file", None, **{"Content-Type": "application/octet-stream"}
        ),
        "share image": ask("POST", f"{paths['image']}/members", {"member": "other"}),
        "delete image": ask("DELETE", paths["image"]),
        "create volume": ask("POST", paths["volumes"], {"volume": {"size": 1}}),
        "change volume": ask("PUT", paths["volume"], {"volume": {"name": "y"}}),
        "act on volume": ask("POST", f"{paths['volume']}/action", {"os-reserve": {}}),
        "describe volume": ask("POST", f"{paths['volume']}/metadata", {"metadata": {"a": "b"}}),
        "snapshot": ask("POST", f"{paths['root']}/snapshots", {"snapshot": {"volume_id": "x"}}),
        "backup": ask("POST", f"{paths['root']}/backups", {"backup": {"volume_id": "x"}}),
        "transfer": ask("POST", f"{paths['root']}/volume-transfers", {"transfer": {"volume_id": "x"}}),
        "accept": ask("POST", f"{paths['root']}/volume-transfers/x/accept", {"accept": {"auth_key": "x"}}),
        "attach": ask("POST", f"{paths['root']}/attachments", {"attachment": {"volume_uuid": "x"}}),
        "group": ask("POST", f"{paths['root']}/groups", {"group": {}}),
        "delete volume": ask("DELETE", paths["volume"]),
        "put container": ask("PUT", f"{paths['container']}2"),
        "put object": ask("PUT", paths["object"]),
        "change object": ask("POST", paths["object"]),
        "delete object": ask("DELETE", paths["object"]),
        "change account": ask("POST", paths["container"].removesuffix("/c"), **{"X-Account-Meta-A": "b"}),
    }


def all_refused(answers: dict[str, int]) -> bool:
    assert answers == dict.fromkeys(answers, REFUSED)
    return True


def test_readers_write_nothing(cloud: Cloud, paths: dict[str, str]) -> None:
    cloud.user("rita", "reader")
    ask = Asker(cloud, cloud.token_of("rita"))
    seen = reads(ask, paths)
    # Reading objects takes a role that owns the account, or an access list.
    assert seen.pop("object") == 403
    assert set(seen.values()) == {200, 204}
    assert all_refused(writes(ask, paths))


def test_users_of_stacks_neither_read_nor_write(cloud: Cloud, paths: dict[str, str]) -> None:
    cloud.user("server", "heat_stack_user")
    ask = Asker(cloud, cloud.token_of("server"))
    assert all_refused(reads(ask, paths))
    assert all_refused(writes(ask, paths))


def test_a_token_without_a_project_neither_reads_nor_writes(cloud: Cloud, paths: dict[str, str]) -> None:
    cloud.user("nobody")
    answer = cloud.authenticate(by_password("nobody", "open sesame"))
    ask = Asker(cloud, answer.headers["X-Subject-Token"])
    assert all_refused(reads(ask, paths))
    assert all_refused(writes(ask, paths))
