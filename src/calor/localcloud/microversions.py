"""Microversions, which clients request with the header OpenStack-API-Version.

The compute service has its own module, since it also supports an older header.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from calor.localcloud.problems import BadRequest, NotAcceptable
from calor.localcloud.web import Call

HEADER = "OpenStack-API-Version"


@dataclass(frozen=True)
class Microversions:
    service: str
    """As the header has it: volume."""
    major: int
    newest: int

    def requested(self, call: Call) -> int:
        """The requested minor version; 0 by default."""
        header = call.headers.get(HEADER.lower(), "")
        if self.service not in header:
            return 0
        found = self._pattern.search(header)
        if found is None:
            raise BadRequest(
                f"API Version String '{header[:100]}' is of invalid format. Must be of format {self.major}.X."
            )
        minor = self.newest if found[2] else int(found[1])
        if minor > self.newest:
            raise NotAcceptable(
                f"Version {self.major}.{minor} is not supported by the API."
                f" Minimum is {self.major}.0 and maximum is {self.major}.{self.newest}."
            )
        return minor

    def header(self, minor: int) -> dict[str, str]:
        """The header with which a response names its version."""
        return {HEADER: f"{self.service} {self.major}.{minor}"}

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(rf"{self.service}\s+(?:{self.major}\.([0-9]{{1,4}})|(latest))")
