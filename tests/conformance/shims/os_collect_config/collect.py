import random
import sys
import time
from importlib import import_module
from unittest import mock

from os_collect_config import exc
from oslo_config import cfg

from calor_guest.collect import hangup, options, poll
from calor_guest.collect import main as program
from calor_guest.collect.cache import Cache

_KINDS = {
    options.TEXT: cfg.StrOpt,
    options.NUMBER: cfg.FloatOpt,
    options.FLAG: cfg.BoolOpt,
    options.MANY: cfg.MultiStrOpt,
}


def setup_conf():
    """Our options, as oslo.config reads them."""
    for option in options.OPTIONS:
        more = {"short": option.short} if option.short else {}
        default = list(option.default) if isinstance(option.default, tuple) else option.default
        if option.key == "collectors":
            more["positional"] = True
        if option.key == "print":
            more["dest"] = "print_only"
        opt = _KINDS[option.kind](option.name, default=default, **more)
        cfg.CONF.register_cli_opt(opt, group=None if option.section == options.GENERAL else option.section)


def _sources(names, kwargs):
    modules = {name: import_module("os_collect_config." + name) for name in names}
    return [modules[name].Collector(**(kwargs or {}).get(name, {})).source for name in names]


def collect_all(collectors, store=False, collector_kwargs_map=None):
    found = _sources(collectors, collector_kwargs_map)
    if not store:
        return set(), poll.collect(found)
    collected = poll.store(found, Cache(cfg.CONF.cachedir), cfg.CONF.backup_cachedir)
    return collected.changed, collected.paths


def main(args=sys.argv, collector_kwargs_map=None):
    setup_conf()
    cfg.CONF(args=args[1:], prog="os-collect-config", version=options.VERSION)
    given = options.read(args[1:])
    genuine = poll.configured_sources

    def sources(settings):
        try:
            names = [source.name for source in genuine(settings)]
        except ValueError as error:
            raise exc.InvalidArguments(str(error)) from error
        return _sources(names, collector_kwargs_map)

    def uniform(least, most):
        return random.randrange(least, most)

    random_pause = mock.patch.object(random, "uniform", uniform)
    with (
        random_pause,
        mock.patch.object(poll, "configured_sources", sources),
        mock.patch.object(hangup.Hangup, "pause", _pause),
    ):
        return program.run(given)


def _pause(self, seconds):
    time.sleep(seconds)
    return False
