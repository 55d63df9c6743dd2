"""The operator's global environment: the files of an environment directory. Users' environments take precedence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from calor.language import environment as environments
from calor.language import reader
from calor.language.diagnostics import Report
from calor.language.library import World
from calor.language.registry import is_template
from calor.language.values import TemplateValue

ReadFile = Callable[[str], str]
"""The text of a template at a file:// URL given by the operator. Raises OSError."""


@dataclass(frozen=True, slots=True)
class GlobalEnvironment:
    """The operator's part of every environment. `files` are the templates that it refers to, read from disk."""

    registry: Mapping[str, TemplateValue] = field(default_factory=dict)
    parameter_defaults: Mapping[str, TemplateValue] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    def over(self, world: World) -> World:
        """The world with this environment in it."""
        return replace(
            world,
            common={**world.common, **self.registry},
            common_defaults={**world.common_defaults, **self.parameter_defaults},
            common_files={**world.common_files, **self.files},
        )


def load(texts: Mapping[str, str | bytes], read_file: ReadFile, report: Report) -> GlobalEnvironment:
    """The environments of a directory, merged in alphabetical order."""
    registry: dict[str, TemplateValue] = {}
    defaults: dict[str, TemplateValue] = {}
    files: dict[str, str] = {}
    for name in sorted(texts):
        source = reader.read_mapping(texts[name], name, report)
        if source is None:
            continue
        own = Report(source.place)
        data = environments.check(source.data, own)
        defaults.update(data.get(environments.DEFAULTS, {}))
        for type_name, target in data.get(environments.REGISTRY, {}).items():
            registry[type_name] = target
            if is_template(target) and target.startswith("file://"):
                try:
                    files[target] = read_file(target)
                except OSError as error:
                    at = (environments.REGISTRY, type_name)
                    own.error("E501", f"{target} cannot be read: {error.strerror or error}", at, path="")
        report.extend(own)
    return GlobalEnvironment(registry, defaults, files)
