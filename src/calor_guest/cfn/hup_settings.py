"""The settings of cfn-hup: the stack, and the hooks for events of its resources."""

import configparser
from typing import Iterable, List, NamedTuple, Tuple

from calor_guest.cfn.credentials import Credentials, read_credentials
from calor_guest.cfn.problems import Problem

_MAIN = "main"
_REGION, _INTERVAL = "nova", 10


class Hook(NamedTuple):
    name: str
    triggers: str
    path: str
    runas: str
    action: str

    @property
    def resource(self) -> str:
        return self.path.split(".")[1]

    def is_for(self, event: str, resource: str) -> bool:
        events = [trigger.strip() for trigger in self.triggers.split(",")]
        return self.resource == resource and event in events


class Settings(NamedTuple):
    stack: str
    credential_file: str
    credentials: Credentials
    region: str
    interval: int
    hooks: Tuple[Hook, ...]

    @property
    def resources(self) -> List[str]:
        """In the order of their hooks."""
        return list(dict.fromkeys(hook.resource for hook in self.hooks))


def read_settings(texts: Iterable[str]) -> Settings:
    """From the texts of configuration files. Raises Problem."""
    parser = configparser.ConfigParser()
    try:
        for text in texts:
            parser.read_string(text)
        path = parser.get(_MAIN, "credential-file")
        return Settings(
            parser.get(_MAIN, "stack"),
            path,
            read_credentials(path),
            parser.get(_MAIN, "region", fallback=_REGION),
            parser.getint(_MAIN, "interval", fallback=_INTERVAL),
            tuple(_hook(parser, name) for name in parser.sections() if name != _MAIN),
        )
    except (configparser.Error, ValueError) as error:
        raise Problem(f"the settings are not valid: {error}") from None


def _hook(parser: configparser.ConfigParser, name: str) -> Hook:
    hook = Hook(name, *(_text(parser, name, key) for key in ("triggers", "path", "runas", "action")))
    if "." not in hook.path:
        raise Problem(f"the path of the hook {name} is not of the form Resources.NAME.Metadata")
    return hook


def _text(parser: configparser.ConfigParser, section: str, key: str) -> str:
    """A percent sign may be doubled, but need not: commands have them."""
    try:
        return parser.get(section, key)
    except configparser.InterpolationError:
        return parser.get(section, key, raw=True)
