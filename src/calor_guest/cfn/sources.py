"""The section sources: unpacks archives into folders."""

import os
import tempfile
from typing import Any, Callable, List, Mapping

from calor_guest.cfn.downloads import shown
from calor_guest.cfn.host import Host
from calor_guest.cfn.problems import Problem
from calor_guest.cfn.source_types import SourceType, source_type
from calor_guest.cfn.unpacking import unpack

Put = Callable[[str, str, SourceType, Host], None]


def put(folder: str, url: str, type: SourceType, host: Host) -> None:
    """Fills a folder with what a URL has. Raises Problem."""
    with tempfile.TemporaryFile() as packed:
        host.download(url, packed)
        unpack(packed, type, folder)


def apply(section: Mapping[str, Any], host: Host, put: Put = put) -> List[str]:
    """Returns what could not be done. One source does not keep the others from being unpacked."""
    problems = []
    for folder, url in section.items():
        try:
            type = source_type(str(url))
            if type is None:
                raise Problem("the name of the archive has none of the known endings")
            put(os.path.join("/", folder), str(url), type, host)
        except Problem as problem:
            problems.append(f"{shown(str(url))} is not unpacked into {folder}: {problem}")
    return problems
