"""cfn-hup: checks the resources of its hooks once; a cron job or a timer repeats it."""

import argparse
import os
from typing import Callable, Iterable, List

from calor_guest.cfn import endpoints, services
from calor_guest.cfn.host import THIS_HOST, Host
from calor_guest.cfn.hup_settings import Hook, Settings, read_settings
from calor_guest.cfn.logs import log, start_logging
from calor_guest.cfn.metadata import Retrieved, init_section, of_stack, retrieve
from calor_guest.cfn.places import THIS_SERVER, Places
from calor_guest.cfn.problems import Problem
from calor_guest.cfn.values import properties
from calor_guest.common.files import read_text

_RESTARTED, _UPDATED = "service.restarted", "post.update"

Monitor = Callable[..., None]


def main(arguments: List[str], places: Places = THIS_SERVER) -> int:
    given = _parser().parse_args(arguments)
    start_logging("cfn-hup", places, given.verbose)
    try:
        settings = _read(places, given.config or places.hooks_folder)
        for resource in settings.resources:
            _check(resource, settings, places)
    except (Problem, OSError) as error:
        log.error("%s", error)
        return 1
    return 0


def _check(resource: str, settings: Settings, places: Places) -> None:
    endpoint = endpoints.cloudformation(places)
    found = retrieve(
        lambda: of_stack(endpoint, settings.credentials, settings.stack, resource),
        resource,
        places.initial_metadata,
        places.last_metadata,
    )
    if found is None:
        raise Problem(f"the metadata of {resource} is unknown")
    handle(found, resource, settings.hooks, THIS_HOST)


def handle(
    found: Retrieved, resource: str, hooks: Iterable[Hook], host: Host, monitor: Monitor = services.monitor
) -> None:
    """Restarts services that should run, and runs the hooks for what has happened."""
    section = init_section(found.metadata)
    if section is None:
        log.debug("the metadata of %s has no AWS::CloudFormation::Init", resource)
    config = properties(properties(found.metadata if section is None else section).get("config"))
    monitor(properties(config.get("services")), host, lambda service: fire(_RESTARTED, resource, hooks, host))
    if found.has_changed:
        fire(_UPDATED, resource, hooks, host)


def fire(event: str, resource: str, hooks: Iterable[Hook], host: Host) -> None:
    for hook in hooks:
        if hook.is_for(event, resource):
            outcome = host.run(hook.action, user=hook.runas)
            log.debug("output of %s: %s%s", hook.name, outcome.stdout, outcome.stderr)
            if outcome.status != 0:
                log.error("the hook %s failed: %s", hook.name, outcome.summary)


def _read(places: Places, hooks_folder: str) -> Settings:
    """Raises Problem and OSError."""
    settings = read_text(places.hup_settings)
    if settings is None:
        raise Problem(f"there is no {places.hup_settings}")
    paths = [places.hooks]
    if os.path.isdir(hooks_folder):
        paths += [os.path.join(hooks_folder, name) for name in sorted(os.listdir(hooks_folder))]
    texts = [text for text in map(read_text, paths) if text is not None]
    found = read_settings([settings, *texts])
    if not found.hooks:
        raise Problem(f"there are no hooks in {places.hooks} and {hooks_folder}")
    return found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cfn-hup",
        description="Runs the hooks for changes of metadata, and restarts services that should run, once. A cron "
        "job or a timer repeats it.",
    )
    parser.add_argument("-c", "--config", help="the folder of hooks (default: /etc/cfn/hooks.d)")
    parser.add_argument("-f", "--no-daemon", action="store_true", help="accepted: it is never a daemon")
    parser.add_argument("-v", "--verbose", action="store_true", help="log more")
    return parser
