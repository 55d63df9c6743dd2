"""The kind of content of a source, from its URL."""

import posixpath
from typing import NamedTuple, Optional
from urllib.parse import urlsplit

TAR, ZIP, FILE = "tar", "zip", "file"
GZIP, BZIP2 = "gzip", "bzip2"


class SourceType(NamedTuple):
    kind: str
    compression: Optional[str] = None
    name: str = ""
    """Of a single compressed file."""


_ENDINGS = (
    (".tar.gz", SourceType(TAR, GZIP)),
    (".tgz", SourceType(TAR, GZIP)),
    (".tar.bz2", SourceType(TAR, BZIP2)),
    (".tbz2", SourceType(TAR, BZIP2)),
    (".tar", SourceType(TAR)),
    (".zip", SourceType(ZIP)),
)
_COMPRESSIONS = {".gz": GZIP, ".bz2": BZIP2}
_OF_GITHUB = {"tarball": SourceType(TAR, GZIP), "zipball": SourceType(ZIP)}


def source_type(url: str) -> Optional[SourceType]:
    """None if it is unknown."""
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    found = next((type for ending, type in _ENDINGS if path.lower().endswith(ending)), None)
    if found is not None:
        return found
    name, ending = posixpath.splitext(posixpath.basename(path))
    if ending.lower() in _COMPRESSIONS and name:
        return SourceType(FILE, _COMPRESSIONS[ending.lower()], name)
    if parts.scheme in ("http", "https") and (parts.hostname or "").endswith("github.com"):
        return _OF_GITHUB.get(posixpath.basename(posixpath.dirname(path)))
    return None
