"""Injected files of new servers: read, checked against quotas, and passed on."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator, Mapping, Sequence

from calor.localcloud.compute.quotas import check_limit
from calor.localcloud.compute.requests import strict
from calor.localcloud.compute.service import ComputeService
from calor.localcloud.problems import BadRequest
from calor.localcloud.requests import listing, text

File = Mapping[str, str]
"""A path, and contents in base64."""


def _contents(value: object, where: str) -> str:
    written: str = text()(value, where)
    try:
        base64.b64decode(written, validate=False)
    except (binascii.Error, ValueError):
        raise BadRequest(f"{where} must be base64-encoded.") from None
    return written


PERSONALITY = listing(strict({"path": text(shortest=1), "contents": _contents}))


def check_files(compute: ComputeService, project_id: str, files: Sequence[File]) -> None:
    check_limit(compute, project_id, "injected_files", len(files))
    for path, content in decode_files(files):
        check_limit(compute, project_id, "injected_file_path_bytes", len(path.encode()))
        check_limit(compute, project_id, "injected_file_content_bytes", len(content))


def decode_files(files: Iterable[File]) -> Iterator[tuple[str, bytes]]:
    """Whole paths with their contents."""
    for file in files:
        yield "/" + file["path"].lstrip("/"), base64.b64decode(file["contents"])


def list_files(files: Iterable[File]) -> list[dict[str, str]]:
    """The entries in meta_data.json of a config drive."""
    return [{"path": file["path"], "content_path": f"/{_place(number)}"} for number, file in enumerate(files)]


def on_drive(files: Iterable[File]) -> dict[str, bytes]:
    """The contents as a config drive has them."""
    return {f"openstack/{_place(number)}": content for number, (_, content) in enumerate(decode_files(files))}


def _place(number: int) -> str:
    return f"content/{number:04}"
