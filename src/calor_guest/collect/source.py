"""What all sources of metadata have in common."""

import logging
from typing import List, Sequence

from calor_guest.collect.deployments import Item
from calor_guest.collect.options import Section, Settings

log = logging.getLogger("os-collect-config")


class NotAvailable(Exception):
    """The source does not answer, or not with metadata."""


class NotConfigured(Exception):
    """Settings of the source are missing."""


class MetadataSource:
    """One source. Lives as long as the program, so that it can remember what it has seen."""

    name = ""
    keeps = False
    """Whether what it brought stays while it is not available."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._noted = ""

    @property
    def section(self) -> Section:
        return self.settings.section(self.name)

    @property
    def deployment_keys(self) -> Sequence[str]:
        return self.settings.general.many("deployment_key")

    def collect(self) -> List[Item]:
        """Raises NotAvailable and NotConfigured."""
        raise NotImplementedError

    def note(self, level: int, problem: str) -> None:
        """Logs a problem; not again at every collection while it lasts."""
        log.log(logging.DEBUG if problem == self._noted else level, "Source [%s] %s", self.name, problem)
        self._noted = problem

    def required(self, *names: str) -> List[str]:
        """The values of these settings. Raises NotConfigured."""
        values = []
        for name in names:
            value = self.section.text(name)
            if value is None:
                raise NotConfigured(f"No {name} configured.")
            values.append(value)
        return values
