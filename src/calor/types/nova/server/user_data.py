"""The user data that a server boots with: the user's own, and what the agents and tools on it need."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_string
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from functools import cache, lru_cache
from importlib.resources import files
from urllib.parse import quote, urlsplit

from calor.resources.values import JsonMapping, JsonObject

SAVED = "x-cfninitdata"
"""The subtype of parts that are saved on the server."""
METADATA_FILES = ("/var/lib/heat-cfntools/cfn-init-data", "/var/lib/cloud/data/cfn-init-data")


@dataclass(frozen=True, slots=True)
class Part:
    text: str
    subtype: str
    filename: str = ""


def for_cfn_tools(text: str, metadata: JsonMapping, cfn_url: str, login_user: str = "") -> str:
    """User data that cfn-init and its companions find their way with. The user's own is run and logged."""
    parts = [
        Part(text, SAVED, "cfn-userdata"),
        Part(_guest("loguserdata.py"), "x-shellscript", "loguserdata.py"),
        *([Part(json.dumps(metadata), SAVED, "cfn-init-data")] if metadata else ()),
        Part(f"{cfn_url.rstrip('/')}/", SAVED, "cfn-metadata-server"),
        Part(_boto_settings(cfn_url), SAVED, "cfn-boto-cfg"),
    ]
    return _message((*_preparing(login_user), *parts))


def for_agents(text: str, metadata: JsonMapping) -> str:
    """User data with the metadata from which os-collect-config learns its data source."""
    ignition = _ignition(text)
    if ignition is not None:
        return _with_files(ignition, metadata)
    given = list(_given(text)) if text else []
    return _message((*_preparing(), *given, Part(json.dumps(metadata), SAVED, "cfn-init-data")))


def _preparing(login_user: str = "") -> list[Part]:
    config = _guest("cloud-config.yaml") + (f"user: {login_user}\n" if login_user else "")
    return [
        Part(config, "cloud-config"),
        Part(_guest("boothook.sh"), "cloud-boothook", "boothook.sh"),
        Part(f"#part-handler\n{_guest('part_handler.py')}", "part-handler", "part-handler.py"),
    ]


@cache
def _guest(name: str) -> str:
    return (files("calor.types.nova.guest") / name).read_text("utf-8")


def _boto_settings(cfn_url: str) -> str:
    parts = urlsplit(cfn_url)
    secure = "1" if parts.scheme == "https" else "0"
    return "\n".join(
        (
            "[Boto]",
            "debug = 0",
            f"is_secure = {secure}",
            f"https_validate_certificates = {secure}",
            "cfn_region_name = heat",
            f"cfn_region_endpoint = {parts.hostname or ''}",
            "",
        )
    )


def _given(text: str) -> Iterator[Part]:
    """The user's own data: one part, which cloud-init identifies by its first line, or several in a MIME message."""
    message = message_from_string(text)
    if not message.is_multipart():
        yield Part(text, "plain")
        return
    for part in message.walk():
        if not part.is_multipart():
            content = part.get_payload(decode=True)
            charset = part.get_content_charset("utf-8")
            decoded = content.decode(charset, "replace") if isinstance(content, bytes) else ""
            yield Part(decoded, part.get_content_subtype(), part.get_filename() or "")


@lru_cache(64)
def _message(parts: tuple[Part, ...]) -> str:
    """Cached, since the servers of a group often have the same user data."""
    message = MIMEMultipart()
    for part in parts:
        piece = MIMEText(part.text, part.subtype, "us-ascii" if part.text.isascii() else "utf-8")
        if part.filename:
            piece.add_header("Content-Disposition", "attachment", filename=part.filename)
        message.attach(piece)
    return message.as_string()


def _ignition(text: str) -> JsonObject | None:
    """The configuration of machines that are set up by Ignition, which knows nothing of MIME."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        config = json.loads(text)
    except ValueError:
        return None
    return config if isinstance(config, dict) and isinstance(config.get("ignition"), dict) else None


def _with_files(config: JsonMapping, metadata: JsonMapping) -> str:
    storage = config.get("storage") or {}
    source = f"data:,{quote(json.dumps(metadata))}"
    # Only the second version of the format contains the file system.
    place = {"filesystem": "root"} if str(config["ignition"].get("version", "")).startswith("2") else {}
    added = [
        {"path": path, "mode": 0o600, "contents": {"source": source}, **place} for path in METADATA_FILES
    ]
    return json.dumps({**config, "storage": {**storage, "files": [*(storage.get("files") or ()), *added]}})
