"""Every option of Heat 27 is honoured, or accepted with a reason why it has no effect."""

from __future__ import annotations

import re
from configparser import ConfigParser
from pathlib import Path

import pytest
from oslo_config import cfg

from calor.config import ignored
from calor.config.loading import read
from calor.config.options import names_of, sections

HERE = Path(__file__).parent
DOCUMENTATION = HERE.parents[2] / "docs" / "configuration.md"


def heat_options() -> dict[str, list[str]]:
    parser = ConfigParser(default_section="", interpolation=None)
    parser.read(HERE / "heat_27_options.ini")
    return {section: list(parser[section]) for section in parser.sections()}


HEAT = heat_options()
HONOURED = {
    name
    for section, options in sections().items()
    for option in options
    for name in names_of(option, section)
}


@pytest.mark.parametrize("section", HEAT)
def test_an_option_is_honoured_or_has_no_effect_for_a_reason(section: str) -> None:
    unknown = [
        name
        for name in HEAT[section]
        if (section, name) not in HONOURED and ignored.reason(section, name) is None
    ]
    assert unknown == []


@pytest.mark.parametrize("section", HEAT)
def test_no_option_is_called_unknown(section: str, tmp_path: Path) -> None:
    file = tmp_path / "heat.conf"
    file.write_text(f"[{section}]\n" + "".join(f"{name} =\n" for name in HEAT[section]))

    findings = read(cfg.ConfigOpts(), [file]).findings()

    assert [str(one) for one in findings if "unknown option" in str(one)] == []


def test_the_documentation_lists_what_has_no_effect() -> None:
    listed = re.findall(r"^\| `\[(.*?)\]` \| `(.*?)` \| (.*?) \|$", DOCUMENTATION.read_text(), re.MULTILINE)

    assert listed == [
        (section, ", ".join(names.split()), why) for section, names, why in ignored.all_reasons()
    ]
