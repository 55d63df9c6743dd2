"""The EC2 credentials of a server."""

import re
from typing import NamedTuple, Optional

from calor_guest.cfn.problems import Problem

_LINE = re.compile(r"(AWSAccessKeyId|AWSSecretKey) *= *(.*?)\s*$")


class Credentials(NamedTuple):
    access_key: Optional[str]
    secret_key: Optional[str]

    @property
    def are_complete(self) -> bool:
        return bool(self.access_key and self.secret_key)


def read_credentials(path: str) -> Credentials:
    """Raises Problem if the file cannot be read. What it lacks is None."""
    try:
        with open(path, encoding="utf-8") as file:
            matches = [_LINE.match(line) for line in file]
    except (OSError, ValueError) as error:
        raise Problem(f"the credentials in {path} cannot be read: {error}") from None
    found = {match.group(1): match.group(2) for match in matches if match}
    return Credentials(found.get("AWSAccessKeyId"), found.get("AWSSecretKey"))
