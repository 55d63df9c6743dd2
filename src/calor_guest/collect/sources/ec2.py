"""Metadata from the metadata service of the cloud, or from a config drive. It is read once and kept."""

import socket
from typing import Any, Dict, List
from urllib.parse import quote, urlsplit

from calor_guest.collect import config_drive
from calor_guest.collect.cache import Cache
from calor_guest.collect.deployments import Item
from calor_guest.collect.source import MetadataSource, NotAvailable

_ANSWERS_WITHIN = 0.5
"""Seconds in which a service on the same link accepts connections. Where there is none, packets may vanish, and the
other sources would wait at every collection."""
_DEEPEST = 8
_MOST = 1000


class Source(MetadataSource):
    name = "ec2"

    def collect(self) -> List[Item]:
        kept = Cache(self.settings.general.text("cachedir") or "").read(self.name)
        found = kept or config_drive.metadata() or self._fetched()
        return [(self.name, found)]

    def _fetched(self) -> Any:
        url = "{}/".format(self.section.text("metadata_url"))
        _connect(url, self.section.number("timeout"))
        return _Tree(self.section.number("timeout")).read(url)


def _connect(url: str, timeout: float) -> None:
    parts = urlsplit(url)
    on_link = (parts.hostname or "").startswith(("169.254.", "fe80:"))
    if not on_link:
        return
    try:
        with socket.create_connection((parts.hostname, parts.port or 80), min(timeout, _ANSWERS_WITHIN)):
            pass
    except OSError as error:
        raise NotAvailable(f"{url}: {error}") from error


class _Tree:
    """Folders are lists of names; names of folders end with a slash, those of keys are `INDEX=NAME`."""

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._requests = 0

    def read(self, url: str, depth: int = 0) -> Any:
        # Imported late, since servers that boot collect from files first.
        from calor_guest.common import http

        self._requests += 1
        if depth > _DEEPEST or self._requests > _MOST:
            raise NotAvailable(f"{url}: the metadata is too deep or too large")
        try:
            text = http.send("GET", url, timeout=self._timeout).body.decode("utf-8", "replace")
        except http.RequestFailed as error:
            raise NotAvailable(str(error)) from error
        if not url.endswith("/"):
            return text
        found: Dict[str, Any] = {}
        for line in filter(None, text.split("\n")):
            name = line.partition("=")[0] + "/" if "=" in line else line
            found[name.rstrip("/")] = self.read(url + quote(name), depth + 1)
        return found
