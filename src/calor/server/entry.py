"""The apps for third-party web servers, built from the configuration files that the environment names."""

from __future__ import annotations

import atexit
from contextlib import ExitStack

from calor.server import preparing
from calor.server.apps import Apps
from calor.server.locks import lock_shared, share_keys
from calor.server.observing import instrumented
from calor.server.settings import config_files_from_environment, server_settings

WAIT_SECONDS = 10.0


def apps() -> Apps:
    """Creates the apps of this process, which must not fork afterwards. Raises one of STARTUP_ERRORS."""
    from oslo_config import cfg

    from calor.config.loading import load
    from calor.config.translating import settings_of

    settings = server_settings(settings_of(load(cfg.ConfigOpts(), config_files_from_environment())))
    preparing.check(settings)
    with ExitStack() as while_running:
        while_running.enter_context(lock_shared(settings.state_dir))
        while_running.enter_context(share_keys(settings.state_dir))
        settings, secrets = preparing.wait_until_ready(settings, WAIT_SECONDS)
        metrics = while_running.enter_context(instrumented(settings, "api"))
        apps = Apps(settings, secrets, metrics.all)
        atexit.register(while_running.pop_all().close)
    return apps
