"""A resource type that crashes its engine."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Mapping
from typing import Any

from calor.language.schema import Property
from calor.resources.context import Context
from calor.resources.contract import ResourceType


class Deadly(ResourceType, extends=True):
    type_name = "Test::Deadly"
    properties = {"how": Property(str, default="kill")}

    @classmethod
    async def create(cls, ctx: Context, props: Mapping[str, Any]) -> None:
        await ctx.sleep(0.05)
        if props["how"] == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif props["how"] == "hang":
            while True:
                time.sleep(0.1)
        # No other thread gets a turn while this goes on, which is for years.
        re.match(r"(a+)+$", "a" * 60 + "b")
