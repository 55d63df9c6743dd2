"""Kinds of objects: their attributes, and who can set and see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from calor.localcloud.caller import Caller
from calor.localcloud.network import requests
from calor.localcloud.network.problems import forbidden
from calor.localcloud.problems import BadRequest
from calor.localcloud.requests import Reader, mapping, text
from calor.localcloud.types import Json

Given = Json
"""What a client gives for an object, by the names of the documents' fields; what it does not give is absent."""

_NO_DEFAULT = object()


@dataclass(frozen=True)
class Attribute:
    name: str
    read: Reader[object] | None = None
    """None for a read-only attribute."""
    fixed: bool = False
    """Whether it can be set at creation only."""
    late: bool = False
    """Whether it can be set for existing objects only."""
    required: bool = False
    admins: bool = False
    """Whether only admins can set it, to other values than the default."""
    default: object = _NO_DEFAULT
    hidden: bool = False
    """Whether only admins see it."""
    unseen: bool = False
    """Whether it is never shown."""
    field: str = ""
    """The field of the document, if it has another name."""

    @property
    def key(self) -> str:
        return self.field or self.name


def shown(*names: str) -> tuple[Attribute, ...]:
    return tuple(Attribute(name) for name in names)


NAME = Attribute("name", requests.name)
DESCRIPTION = Attribute("description", requests.description)
UP = Attribute("admin_state_up", requests.flag)
SHARED_FLAG = Attribute("shared", requests.flag, admins=True, default=False)
_STANDARD = (Attribute("id"), Attribute("project_id"))
_STAMPS = shown("created_at", "updated_at", "revision_number", "tags")


@dataclass(frozen=True)
class Kind:
    singular: str
    plural: str
    label: str
    """The prefix of its error types."""
    attributes: tuple[Attribute, ...]
    format_time: bool = True
    """Whether it has timestamps, a revision and tags."""

    @cached_property
    def by_name(self) -> Mapping[str, Attribute]:
        everything = _STANDARD + self.attributes + (_STAMPS if self.format_time else ())
        return {each.name: each for each in everything}

    def read_new(self, caller: Caller, body: object) -> Given:
        """Reads a new object. Admins can create it for another project."""
        given = dict(mapping(body, self.singular))
        project = _project_named(given)
        read = {}
        for name, value in given.items():
            attribute = self._settable(name)
            if attribute.late:
                raise BadRequest(f"Attribute '{name}' is not allowed in POST.")
            read[attribute.key] = _read(attribute, value)
            if attribute.admins and not caller.is_admin and read[attribute.key] != attribute.default:
                raise forbidden(f"create_{self.singular}:{name}")
        for attribute in self.attributes:
            if attribute.required and attribute.name not in given:
                raise BadRequest(
                    f"Failed to parse request. Required attribute '{attribute.name}' not specified."
                )
        own = caller.project_id or ""
        if project is not None and project != own and not caller.is_admin:
            raise forbidden(f"create_{self.singular} for another project")
        return {**read, "project_id": own if project is None else project}

    def read_change(self, caller: Caller, body: object) -> Given:
        given = mapping(body, self.singular)
        read = {}
        for name, value in given.items():
            attribute = self._settable(name)
            if attribute.fixed:
                raise BadRequest(f"Cannot update read-only attribute {name}.")
            if attribute.admins and not caller.is_admin:
                raise forbidden(f"update_{self.singular}:{name}")
            read[attribute.key] = _read(attribute, value)
        return read

    def show(self, document: object, details: Mapping[str, object], admin: bool) -> Json:
        """`details` are attributes that are not in the document."""
        view = {
            name: details[name] if name in details else getattr(document, key)
            for name, key in (self._for_admins if admin else self._for_all)
        }
        view["tenant_id"] = view["project_id"]
        return view | {name: value for name, value in details.items() if name not in self.by_name}

    @cached_property
    def _for_admins(self) -> Sequence[tuple[str, str]]:
        """Names of visible attributes, and their fields."""
        return [(each.name, each.key) for each in self.by_name.values() if not each.unseen]

    @cached_property
    def _for_all(self) -> Sequence[tuple[str, str]]:
        return [(name, key) for name, key in self._for_admins if not self.by_name[name].hidden]

    def _settable(self, name: str) -> Attribute:
        attribute = self.by_name.get(name)
        if attribute is None:
            raise BadRequest(f"Unrecognized attribute '{name[:255]}'.")
        if attribute.read is None:
            raise BadRequest(f"Attribute '{name}' is read-only.")
        return attribute


def _read(attribute: Attribute, value: object) -> object:
    assert attribute.read is not None
    return attribute.read(value, f"Invalid input for {attribute.name}")


def _project_named(given: Json) -> str | None:
    """Removes the project from the body, given as project_id or tenant_id."""
    named = [given.pop(name) for name in ("project_id", "tenant_id") if name in given]
    if len(set(map(str, named))) > 1:
        raise BadRequest("'project_id' and 'tenant_id' do not match.")
    return str(text(255)(named[0], "project_id")) if named else None
