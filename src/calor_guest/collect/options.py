"""The options of os-collect-config: each is a flag of the command line and a setting of the configuration file."""

import argparse
import glob
import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from calor_guest.collect import ini
from calor_guest.common import files

VERSION = "14.1.0"
"""Of the program whose interface this is."""
CONFIG_FILE = "/etc/os-collect-config.conf"
CONFIG_FOLDER = "/etc/os-collect-config.conf.d"
COLLECTORS = ("heat_local", "ec2", "cfn", "heat", "request", "local", "zaqar")
GENERAL = "DEFAULT"

TEXT, NUMBER, FLAG, MANY = "text", "number", "flag", "many"


class Option(NamedTuple):
    section: str
    name: str
    """As on the command line."""
    kind: str
    default: Any
    help: str
    short: str = ""

    @property
    def key(self) -> str:
        return self.name.replace("-", "_")

    @property
    def flag(self) -> str:
        return self.name if self.section == GENERAL else f"{self.section}-{self.name}"

    @property
    def destination(self) -> str:
        return f"{self.section}.{self.key}"


_TIMEOUT = "seconds that a request may take"
_CREDENTIALS = (
    ("user-id", "the ID of the user who logs in"),
    ("password", "the password of that user"),
    ("project-id", "the ID of the project to log in to"),
    ("auth-url", "the URL of the identity service"),
    ("region-name", "the region whose services are used"),
)


def _credentials(section: str) -> Tuple[Option, ...]:
    return tuple(Option(section, name, TEXT, None, text) for name, text in _CREDENTIALS)


OPTIONS = (
    Option(GENERAL, "command", TEXT, None, "runs when the metadata has changed; printed if not given", "c"),
    Option(GENERAL, "cachedir", TEXT, "/var/lib/os-collect-config", "the folder for collected metadata"),
    Option(GENERAL, "backup-cachedir", TEXT, "/var/run/os-collect-config", "the folder for a copy of it"),
    Option(GENERAL, "collectors", MANY, COLLECTORS, "the sources of metadata, in order"),
    Option(GENERAL, "one-time", FLAG, False, "exit after one execution of the command"),
    Option(GENERAL, "min-polling-interval", NUMBER, 1.0, "the shortest pause between two collections"),
    Option(
        GENERAL, "polling-interval", NUMBER, 30.0, "the longest; pauses double while nothing changes", "i"
    ),
    Option(GENERAL, "print-cachedir", FLAG, False, "print the folder for collected metadata"),
    Option(GENERAL, "force", FLAG, False, "run the command even if nothing has changed, once"),
    Option(GENERAL, "print", FLAG, False, "print the metadata and run nothing"),
    Option(GENERAL, "deployment-key", MANY, ("deployments",), "where metadata holds lists of deployments"),
    Option(GENERAL, "splay", NUMBER, 0.0, "first wait for a random time of at most so many seconds"),
    Option(GENERAL, "debug", FLAG, False, "log more", "d"),
    Option(GENERAL, "log-file", TEXT, None, "log to this file in place of standard error"),
    Option("heat_local", "path", MANY, ("/var/lib/heat-cfntools/cfn-init-data",), "files of metadata"),
    Option(
        "ec2",
        "metadata-url",
        TEXT,
        "http://169.254.169.254/latest/meta-data",
        "the URL of the metadata service",
    ),
    Option("ec2", "timeout", NUMBER, 10.0, _TIMEOUT),
    Option("cfn", "metadata-url", TEXT, None, "the URL of the CloudFormation API"),
    Option(
        "cfn",
        "heat-metadata-hint",
        TEXT,
        "/var/lib/heat-cfntools/cfn-metadata-server",
        "a file that holds the URL if metadata-url is not given",
    ),
    Option("cfn", "ca_certificate", TEXT, None, "the file of certificates to verify the API with"),
    Option("cfn", "stack-name", TEXT, None, "the stack"),
    Option("cfn", "path", MANY, None, "RESOURCE.Metadata, or a key below that"),
    Option("cfn", "secret-access-key", TEXT, None, "the secret key"),
    Option("cfn", "access-key-id", TEXT, None, "the access key"),
    Option("cfn", "deployment-key", MANY, None, "deprecated: use deployment-key without a section"),
    Option("cfn", "timeout", NUMBER, 10.0, _TIMEOUT),
    *_credentials("heat"),
    Option("heat", "stack-id", TEXT, None, "the stack: NAME/ID"),
    Option("heat", "resource-name", TEXT, None, "the resource that is this server"),
    Option("request", "metadata-url", TEXT, None, "the URL of the metadata"),
    Option("request", "timeout", NUMBER, 10.0, _TIMEOUT),
    Option(
        "local", "path", MANY, ("/var/lib/os-collect-config/local-data",), "folders with files of metadata"
    ),
    *_credentials("zaqar"),
    Option("zaqar", "queue-id", TEXT, None, "the queue with the metadata"),
    Option("zaqar", "use-websockets", FLAG, False, "wait for messages on a WebSocket"),
    Option("zaqar", "ssl-certificate-validation", FLAG, False, "verify the certificate of the service"),
    Option("zaqar", "ca-file", TEXT, None, "the file of certificates to verify the service with"),
    Option("keystone", "cache_dir", TEXT, None, "a folder in which log-ins are kept"),
    Option("keystone", "cache_ttl", NUMBER, 1800, "seconds for which log-ins are kept"),
)


class Section:
    """The settings of a section, by their names with underscores."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def text(self, key: str) -> Optional[str]:
        value = self._values[key]
        return None if value is None else str(value)

    def number(self, key: str) -> float:
        return float(self._values[key])

    def flag(self, key: str) -> bool:
        return bool(self._values[key])

    def many(self, key: str) -> Sequence[str]:
        return list(self._values[key] or ())


class Settings(NamedTuple):
    sections: Mapping[str, Mapping[str, Any]]
    files: Mapping[str, Optional[str]]
    """The configuration files as they were read, by path; None for one that did not exist."""

    def section(self, name: str) -> Section:
        return Section(self.sections[name])

    @property
    def general(self) -> Section:
        return self.section(GENERAL)


def read(arguments: List[str]) -> Settings:
    """The command line has precedence. Raises ValueError."""
    given = vars(_parser().parse_args(arguments))
    # Without any on the command line, argparse has an empty list of them.
    given["DEFAULT.collectors"] = given["DEFAULT.collectors"] or None
    texts = config_files(given["config_file"], given["config_dir"])
    return Settings(combined([*(_parsed(path, text or "") for path, text in texts.items()), given]), texts)


def combined(sources: Sequence[Mapping[str, Any]]) -> Dict[str, Dict[str, Any]]:
    """The settings by section; later sources have precedence. Sources have them as SECTION.KEY."""
    sections: Dict[str, Dict[str, Any]] = {}
    for option in OPTIONS:
        found = [
            source[option.destination] for source in sources if source.get(option.destination) is not None
        ]
        sections.setdefault(option.section, {})[option.key] = found[-1] if found else option.default
    return sections


def config_files(given: Optional[List[str]], folders: Optional[List[str]]) -> Dict[str, Optional[str]]:
    """Files that the command line names have to exist; the usual one need not. Raises ValueError."""
    paths = [CONFIG_FILE] if given is None else given
    for folder in [CONFIG_FOLDER] if folders is None else folders:
        paths = paths + sorted(glob.glob(os.path.join(glob.escape(folder), "*.conf")))
    texts = {path: files.read_text(path) for path in paths}
    missing = [path for path in given or () if texts[path] is None]
    if missing:
        raise ValueError(f"{missing[0]} does not exist")
    return texts


def _parsed(path: str, text: str) -> Dict[str, Any]:
    try:
        return from_sections(ini.parse(text))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def from_sections(sections: ini.Sections) -> Dict[str, Any]:
    """The settings that are options. Raises ValueError."""
    found = {}
    for option in OPTIONS:
        values = sections.get(option.section, {}).get(option.key)
        if values:
            found[option.destination] = values if option.kind == MANY else _converted(option, values[-1])
    return found


def _converted(option: Option, text: str) -> Union[str, float, bool]:
    if option.kind == NUMBER:
        return number(text)
    return _flag(option, text) if option.kind == FLAG else text


def number(text: str) -> float:
    """Raises ValueError."""
    value = float(text)
    if not 0 <= value < 1e9:
        raise ValueError(f"{text} is not a number of seconds")
    return value


def _flag(option: Option, text: str) -> bool:
    if text.lower() in ("true", "yes", "on", "1"):
        return True
    if text.lower() in ("false", "no", "off", "0"):
        return False
    raise ValueError(f"{option.key} is true or false, not {text}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="os-collect-config",
        description="Collects the metadata of this server from several sources, and runs a command whenever it "
        "has changed.",
    )
    parser.add_argument("--version", action="version", version=VERSION)
    parser.add_argument(
        "--config-file", action="append", help=f"a file with settings; may be repeated ({CONFIG_FILE})"
    )
    parser.add_argument("--config-dir", action="append", help=f"a folder of such files ({CONFIG_FOLDER})")
    for option in OPTIONS:
        _add(parser, option)
    return parser


def _add(parser: argparse.ArgumentParser, option: Option) -> None:
    shown = "" if option.default is None else f" ({_default(option)})"
    names = ([f"-{option.short}"] if option.short else []) + [f"--{option.flag}"]
    help = option.help + shown
    if option.destination == "DEFAULT.collectors":
        parser.add_argument(option.destination, metavar="COLLECTOR", nargs="*", default=None, help=help)
    elif option.kind == FLAG:
        parser.add_argument(
            *names, dest=option.destination, action="store_const", const=True, default=None, help=help
        )
        parser.add_argument(
            f"--no{option.flag}",
            dest=option.destination,
            action="store_const",
            const=False,
            help=argparse.SUPPRESS,
        )
    else:
        action = "append" if option.kind == MANY else "store"
        kind = number if option.kind == NUMBER else str
        metavar = "SECONDS" if option.kind == NUMBER else option.key.rpartition("_")[2].upper()
        parser.add_argument(
            *names,
            dest=option.destination,
            action=action,
            type=kind,
            metavar=metavar,
            default=None,
            help=help,
        )


def _default(option: Option) -> str:
    return " ".join(option.default) if option.kind == MANY else str(option.default).replace("False", "no")
