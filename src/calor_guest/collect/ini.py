"""Configuration files: sections of `name = value`. A name may occur several times, and long values be continued."""

from typing import Dict, List

Sections = Dict[str, Dict[str, List[str]]]


def parse(text: str) -> Sections:
    """Raises ValueError."""
    sections: Sections = {}
    section, values = "", []  # type: str, List[str]
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped[0] in "#;":
            continue
        if line[0] in " \t" and values:
            values[-1] += "\n" + stripped
        elif stripped[0] == "[":
            if stripped[-1] != "]":
                raise ValueError(f"line {number} is not the name of a section: {stripped}")
            section, values = stripped[1:-1], []
        else:
            values = sections.setdefault(section, {}).setdefault(_name(stripped, number), [])
            values.append(_value(stripped))
    return sections


def _separator(line: str) -> int:
    found = [at for at in (line.find("="), line.find(":")) if at > 0]
    return min(found) if found else -1


def _name(line: str, number: int) -> str:
    at = _separator(line)
    if at < 0:
        raise ValueError(f"line {number} is not `name = value`")
    return line[:at].strip().replace("-", "_")


def _value(line: str) -> str:
    value = line[_separator(line) + 1 :].strip()
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
    return value[1:-1] if quoted else value
