"""55-heat-config: runs the hooks of new configs in the order of the list, and delivers their results."""

import os
import stat
from typing import List, Mapping, NamedTuple, Optional, Sequence

from calor_guest.common import files
from calor_guest.common.heat_config import DATA_GROUPS
from calor_guest.config import results
from calor_guest.config.configs import ID, Config, configs_file, prepared, read_configs
from calor_guest.config.deployed import DeployedFolder, State
from calor_guest.config.logs import log_to_stderr
from calor_guest.config.notify import TRY_LATER
from calor_guest.config.progress import Pace, report, reporting, watchers
from calor_guest.config.results import Result
from calor_guest.config.running import Tail, run

_LARGEST_RESULT = 32 << 20

log = log_to_stderr("heat-config")


class Settings(NamedTuple):
    config_file: str
    deployed: str
    earlier_deployed: str
    hook_folders: Sequence[str]
    notify: str
    pace: Pace = Pace()


def settings_from(environment: Mapping[str, str]) -> Settings:
    folders = [environment.get("HEAT_CONFIG_HOOKS", "")]
    folders += ["/usr/libexec/heat-config/hooks", "/var/lib/heat-config/hooks"]
    return Settings(
        configs_file(environment),
        environment.get("HEAT_CONFIG_DEPLOYED", "/var/lib/heat-config/deployed"),
        environment.get("HEAT_CONFIG_DEPLOYED_OLD", "/var/run/heat-config/deployed"),
        [folder for folder in folders if folder],
        environment.get("HEAT_CONFIG_NOTIFY", "heat-config-notify"),
    )


def main(arguments: List[str]) -> int:
    return apply(settings_from(os.environ))


def apply(settings: Settings) -> int:
    """The exit code: not 0 if the same configs are to be given again, since a result could not be delivered."""
    if not os.path.exists(settings.config_file):
        log.error("There is no file %s.", settings.config_file)
        return 1
    if stat.S_IMODE(os.stat(settings.config_file).st_mode) != files.PRIVATE:
        os.chmod(settings.config_file, files.PRIVATE)
    folder = DeployedFolder(settings.deployed)
    folder.prepare(settings.earlier_deployed)
    with folder.locked():
        try:
            configs = read_configs(files.read_text(settings.config_file) or "")
        except ValueError as error:
            log.error("%s cannot be read: %s", settings.config_file, error)
            return 0
        # All of them, whatever becomes of each.
        finished = [_has_finished(config, folder, settings) for config in configs]
    return 0 if all(finished) else 1


def _has_finished(config: Config, folder: DeployedFolder, settings: Settings) -> bool:
    """Whether nothing is left to do for a config."""
    try:
        return _deploy(config, folder, settings)
    except Exception as error:
        log.exception("Config %s could not be applied.", config.get("id"))
        # A full disk may have room later; what is wrong with the config stays wrong.
        return not isinstance(error, OSError)


def _deploy(given: Config, folder: DeployedFolder, settings: Settings) -> bool:
    id = str(given.get("id"))
    if not ID.match(id):
        log.error("Skipping a config whose id cannot name files: %.100r", id)
        return True
    config = prepared(given)
    if config is None:
        log.warning("Skipping config %s: its component has nothing for this action.", id)
        return True
    state = folder.state(id)
    if state is State.NEW:
        hook = hook_path(config.get("group") or "", settings.hook_folders)
        if hook is None:
            _skip(config)
            return True
        folder.begin(config)
        folder.save(id, _run_hook(hook, config, folder, settings.pace))
    elif state is State.INTERRUPTED:
        log.error("Config %s was interrupted.", id)
        # What an interrupted program wrote may be incomplete.
        folder.begin(config)
        folder.save(id, results.failure(results.INTERRUPTED))
    elif state is State.DONE:
        log.info("Skipping config %s, already deployed. To force it, remove %s.", id, folder.config_file(id))
        return True
    return _deliver(id, folder, settings.notify)


def hook_path(group: str, folders: Sequence[str]) -> Optional[str]:
    """The program of a group; None if there is none."""
    name = "".join(each for each in group if each in "-_" or each.isalnum())
    paths = [os.path.join(folder, name) for folder in folders]
    return next((path for path in paths if os.path.isfile(path)), None)


def _skip(config: Config) -> None:
    """It runs as soon as the hook is there."""
    if config.get("group") in DATA_GROUPS:
        return
    reason = "There is no hook for the group {}.".format(config.get("group"))
    log.error("Skipping config %s: %s", config["id"], reason)
    report(watchers(config), config["id"], reason)


def _run_hook(hook: str, config: Config, folder: DeployedFolder, pace: Pace) -> Result:
    id = config["id"]
    stdout, stderr = Tail(_LARGEST_RESULT), Tail()
    log.debug("Running %s < %s", hook, folder.config_file(id))
    with open(folder.config_file(id), "rb") as stdin, reporting(watchers(config), id, stderr, pace):
        try:
            status = run([hook], stdout, stderr, stdin)
        except OSError as error:
            log.error("%s cannot run: %s", hook, error)
            return results.failure(f"The hook cannot run: {error}", results.NOT_FOUND)
    if stdout.added > _LARGEST_RESULT:
        return results.failure(f"The hook printed more than {_LARGEST_RESULT >> 20} MiB.")
    result = results.of_hook(stdout.text(), stderr.text(), status)
    log.info(
        "Completed %s for config %s: exit code %s, result in %s", hook, id, status, folder.result_file(id)
    )
    return result


def _deliver(id: str, folder: DeployedFolder, notify: str) -> bool:
    """Whether the result needs no other attempt soon. One that is refused is tried again when there are other reasons
    to run."""
    output = Tail()
    with open(folder.result_file(id), "rb") as stdin:
        try:
            status = run([notify, folder.config_file(id)], output, output, stdin)
        except OSError as error:
            log.error("%s cannot run: %s", notify, error)
            return False
    if status == 0:
        folder.set_delivered(id)
        return True
    log.error("%s failed (%s): %s", notify, status, output.text(2000).strip())
    return status != TRY_LATER
