"""What a web server of somebody else's serves: made from the configuration that the environment names."""

from __future__ import annotations

import atexit
from contextlib import ExitStack

from calor.server import preparing
from calor.server.apps import Apps
from calor.server.holding import hold_together, use_keys
from calor.server.observing import observed
from calor.server.settings import server_settings, stated_files

WAIT_SECONDS = 10.0


def apps() -> Apps:
    """The apps of this process; it must not fork afterwards. Raises one of REFUSALS."""
    from oslo_config import cfg

    from calor.config.loading import load
    from calor.config.translating import settings_of

    settings = server_settings(settings_of(load(cfg.ConfigOpts(), stated_files())))
    preparing.check(settings)
    with ExitStack() as while_running:
        while_running.enter_context(hold_together(settings.state_dir))
        while_running.enter_context(use_keys(settings.state_dir))
        found, known = preparing.found(settings, WAIT_SECONDS)
        exposed = while_running.enter_context(observed(found, "api"))
        made = Apps(found, known, exposed.all)
        atexit.register(while_running.pop_all().close)
    return made
