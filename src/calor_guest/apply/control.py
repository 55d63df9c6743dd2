"""Control files: `NAME.oac` beside a template NAME sets the mode and owner of its file, and whether it may be empty."""

import grp
import pwd
import re
from typing import Any, Callable, Dict, NamedTuple, Optional, Union

from calor_guest.apply.errors import ApplyError

SUFFIX = ".oac"


class Control(NamedTuple):
    allow_empty: bool = True
    """Otherwise there is no file if nothing would be in it."""
    mode: Optional[int] = None
    owner: Optional[int] = None
    group: Optional[int] = None


def read(text: str) -> Control:
    """Raises ApplyError."""
    given = _pairs(text)
    unknown = sorted(set(given) - set(Control._fields))
    if unknown:
        raise ApplyError(f"unrecognised file control key '{unknown[0]}'")
    checks: Dict[str, Callable[[Any], Any]] = {
        "allow_empty": flag,
        "mode": mode,
        "owner": owner,
        "group": group,
    }
    return Control(**{name: checks[name](value) for name, value in given.items()})


def flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ApplyError(f"allow_empty requires Boolean, got: '{value}'")
    return value


def mode(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ApplyError(f"mode '{value}' is not numeric")
    if not 0 <= value <= 0o777:
        raise ApplyError(f"mode '{value:#o}' out of range")
    return value


def owner(value: Any) -> int:
    try:
        if isinstance(value, str):
            return pwd.getpwnam(value).pw_uid
        return pwd.getpwuid(_number("owner", value)).pw_uid
    except KeyError:
        raise ApplyError(f"owner '{value}' not found in passwd database") from None


def group(value: Any) -> int:
    try:
        if isinstance(value, str):
            return grp.getgrnam(value).gr_gid
        return grp.getgrgid(_number("group", value)).gr_gid
    except KeyError:
        raise ApplyError(f"group '{value}' not found in group database") from None


def _number(name: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ApplyError(f"{name} '{value}' must be a string or int")
    if value < 0:
        raise KeyError(value)
    return value


_PAIR = re.compile(r"""(?P<name>\w+)\s*:\s+(?P<value>"[^"]*"|'[^']*'|[^\s#"'\[{][^#]*?)?\s*(\#.*)?""")


def _pairs(text: str) -> Dict[str, Any]:
    """Control files are YAML, of which they need only a map of scalars."""
    found: Dict[str, Any] = {}
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#") or line.strip() in ("---", "{}"):
            continue
        pair = _PAIR.fullmatch(line + " ")
        if pair is None:
            raise ApplyError(f"header is not a dict: {line.strip()!r} is not `key: value`")
        found[pair.group("name")] = _scalar(pair.group("value") or "")
    return found


def _scalar(text: str) -> Union[bool, int, str]:
    """As in YAML 1.1, where numbers that begin with 0 are octal."""
    if text[:1] in ("'", '"'):
        return text[1:-1]
    if text.lower() in ("true", "yes", "on"):
        return True
    if text.lower() in ("false", "no", "off"):
        return False
    if re.fullmatch(r"[-+]?0o?[0-7]+", text):
        return int(text.replace("o", ""), 8)
    if re.fullmatch(r"[-+]?[0-9]+", text):
        return int(text)
    return text
