"""Metadata in headers of requests and responses."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import formatdate, parsedate_to_datetime

from calor.localcloud.objectstore.records import Account, Container, StoredObject
from calor.localcloud.problems import BadRequest

Headers = dict[str, str]

POLICY = "Policy-0"
"""The only storage policy."""

_LONGEST_NAME, _LONGEST_VALUE, _MOST, _LARGEST = 128, 256, 90, 4096
CONTAINER_SETTINGS = (
    "x-container-read",
    "x-container-write",
    "x-container-sync-to",
    "x-container-sync-key",
    "x-versions-location",
    "x-history-location",
)
KEPT_WITH_OBJECTS = (
    "content-encoding",
    "content-disposition",
    "content-language",
    "cache-control",
    "expires",
)


def read_metadata(headers: Mapping[str, str], kind: str) -> dict[str, str]:
    """Metadata in headers by lower-case name; an empty value removes an item."""
    given, removed = f"x-{kind}-meta-", f"x-remove-{kind}-meta-"
    found = {name.removeprefix(given): value for name, value in headers.items() if name.startswith(given)}
    found |= {name.removeprefix(removed): "" for name in headers if name.startswith(removed)}
    for name, value in found.items():
        if not name:
            raise BadRequest("Metadata name cannot be empty")
        if len(name) > _LONGEST_NAME:
            raise BadRequest(f"Metadata name too long: {name[:200]}")
        if len(value) > _LONGEST_VALUE:
            raise BadRequest(f"Metadata value longer than {_LONGEST_VALUE}: {name}")
    return found


def merge_metadata(before: Mapping[str, str], changes: Mapping[str, str]) -> dict[str, str]:
    return check_metadata({name: value for name, value in {**before, **changes}.items() if value})


def check_metadata(metadata: Mapping[str, str]) -> dict[str, str]:
    if len(metadata) > _MOST:
        raise BadRequest(f"Too many metadata items; max {_MOST}")
    if sum(len(name) + len(value) for name, value in metadata.items()) > _LARGEST:
        raise BadRequest(f"Total metadata too large; max {_LARGEST}")
    return dict(metadata)


def read_settings(headers: Mapping[str, str]) -> dict[str, str]:
    """Container settings in headers; an empty value removes a setting."""
    found = {name: headers[name] for name in CONTAINER_SETTINGS if name in headers}
    found |= {name: "" for name in CONTAINER_SETTINGS if f"x-remove-{name.removeprefix('x-')}" in headers}
    if found.get("x-versions-location") and found.get("x-history-location"):
        raise BadRequest("Only one of X-Versions-Location or X-History-Location may be specified")
    return found


def account_headers(account: Account, for_owner: bool) -> Headers:
    used = {
        "Container-Count": str(account.container_count),
        "Object-Count": str(account.object_count),
        "Bytes-Used": str(account.bytes_used),
    }
    return {
        **{f"X-Account-{name}": amount for name, amount in used.items()},
        **{f"X-Account-Storage-Policy-{POLICY}-{name}": amount for name, amount in used.items()},
        "X-Timestamp": stamp(account.created_at),
        "Accept-Ranges": "bytes",
        **_metadata_headers("Account", account.metadata, for_owner),
    }


def container_headers(container: Container, for_owner: bool) -> Headers:
    settings = container.settings if for_owner else {}
    return {
        "X-Container-Object-Count": str(container.object_count),
        "X-Container-Bytes-Used": str(container.bytes_used),
        "X-Timestamp": stamp(container.created_at),
        "Last-Modified": http_date(container.changed_at),
        "X-Storage-Policy": POLICY,
        "Accept-Ranges": "bytes",
        **{name.title(): value for name, value in settings.items()},
        **_metadata_headers("Container", container.metadata, for_owner),
    }


def object_headers(thing: StoredObject) -> Headers:
    result = {
        "Content-Type": thing.content_type,
        "ETag": f'"{thing.etag}"' if thing.manifest or thing.is_static_large else thing.etag,
        "Last-Modified": http_date(thing.changed_at),
        "X-Timestamp": stamp(thing.changed_at),
        "Accept-Ranges": "bytes",
        **{name.title(): value for name, value in thing.headers.items()},
        **_metadata_headers("Object", thing.metadata, True),
    }
    if thing.delete_at is not None:
        result["X-Delete-At"] = str(thing.delete_at)
    if thing.manifest:
        result["X-Object-Manifest"] = thing.manifest
    if thing.is_static_large:
        result["X-Static-Large-Object"] = "True"
    return result


def _metadata_headers(kind: str, metadata: Mapping[str, str], for_owner: bool) -> Headers:
    """Keys that sign URLs are for owners only."""
    return {
        f"X-{kind}-Meta-{name.title()}": value
        for name, value in metadata.items()
        if for_owner or not name.startswith("temp-url-key")
    }


def stamp(moment: float) -> str:
    return f"{moment:016.5f}"


def http_date(moment: float) -> str:
    """To the second, rounded up, as an object must not seem to be older than it is."""
    return formatdate(-(-moment // 1), usegmt=True)


def iso_date(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%dT%H:%M:%S.%f}"


def read_date(written: str | None) -> float | None:
    """A date in a header; None where there is none that can be read, which is then as if it was not there."""
    if not written:
        return None
    try:
        return parsedate_to_datetime(written).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
