"""Saves parts of the type text/x-cfninitdata, for the agents and tools on the server."""

import os

FOLDERS = ("/var/lib/heat-cfntools", "/var/lib/cloud/data")


def list_types() -> "list[str]":
    return ["text/x-cfninitdata"]


def handle_part(data: object, content_type: str, filename: str, payload: object) -> None:
    """cloud-init also calls it before the first part and after the last."""
    if content_type == "__end__":
        return
    for folder in FOLDERS:
        os.makedirs(folder, 0o700, exist_ok=True)
        if content_type != "__begin__":
            _write(os.path.join(folder, os.path.basename(filename)), payload)


def _write(path: str, payload: object) -> None:
    content = payload if isinstance(payload, bytes) else str(payload).encode("utf-8")
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content)
