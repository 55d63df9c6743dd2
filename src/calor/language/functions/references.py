"""Functions that read parameters, resources, files and the parent resource."""

from __future__ import annotations

from calor.language.diagnostics import Path
from calor.language.expressions import AlreadyReported, Call, FunctionError, ListNode, Node, Scope, resolve
from calor.language.values import TemplateValue, Unknown, Wrapping, bare, has_secret, has_unknown, peel


def _without_secrets(error: FunctionError, function: str, args: object) -> FunctionError:
    """The error, or one that does not repeat a hidden argument."""
    if isinstance(error, AlreadyReported) or not has_secret(args):
        return error
    return FunctionError(f"`{function}` cannot be resolved with a hidden argument", error.kind)


def _as_known(found: object, args: object) -> TemplateValue:
    """The result, as unknown if an argument is."""
    if not has_unknown(args):
        return found
    return Unknown(bare(found), has_secret(found))


class GetParam(Call):
    """The value of a parameter, or a part of it by a path; an empty string if the path does not exist."""

    def compute(self, scope: Scope) -> TemplateValue:
        args = resolve(self.args, scope)
        try:
            found = self._read(bare(args), scope)
        except FunctionError as error:
            raise _without_secrets(error, self.name, args) from None
        return _as_known(found, args)

    def _read(self, args: object, scope: Scope) -> TemplateValue:
        if not args:
            raise FunctionError(f"`{self.name}` needs the name of a parameter")
        if not isinstance(args, (str, list)):
            raise FunctionError(f"`{self.name}` takes a name, or a list of a name and a path", "TypeError")
        name, *path = [args] if isinstance(args, str) else args
        if not isinstance(name, str):
            raise FunctionError(f"`{self.name}`: the name of a parameter must be a string", "TypeError")
        value = scope.parameter(name)
        if not path:
            return value
        wrapping = Wrapping()
        value = peel(value, wrapping, 1)
        for step in path:
            value = peel(_step(value, step), wrapping, 1)
        return wrapping.around(value)


def _step(value: TemplateValue, key: TemplateValue) -> TemplateValue:
    if not isinstance(key, (str, int)) or not isinstance(value, (dict, list, str)):
        return ""
    if not isinstance(value, dict) and isinstance(key, str):
        try:
            key = int(key)
        except ValueError:
            return ""
    try:
        return value[key]
    except (KeyError, IndexError):
        return ""


class GetResource(Call):
    """The reference id of a resource: usually its physical id."""

    def compute(self, scope: Scope) -> TemplateValue:
        return scope.reference(self.resource(scope))

    def check(self) -> None:
        if isinstance(self.args, (dict, list)):
            raise FunctionError(f"`{self.name}` takes the name of a resource", "TypeError")

    def resource(self, scope: Scope) -> str:
        return _resource_name(resolve(self.args, scope), scope, self.name)


def _resource_name(given: object, scope: Scope, function: str) -> str:
    name = bare(given)
    if not isinstance(name, str) or not scope.has_resource(name):
        hint = scope.resource_hint(str(name))
        error = FunctionError(f"there is no resource `{name}`", "InvalidTemplateReference", hint)
        raise _without_secrets(error, function, given)
    return name


class GetAttr(Call):
    """An attribute of a resource, or a part of it by a path; null if the path does not exist.

    In the first version of the language the path is resolved by the template, later by the resource, which may
    interpret it. The scope decides.
    """

    needs_attribute = True

    def check(self) -> None:
        if not isinstance(self.args, (list, ListNode)):
            if isinstance(self.args, Node):
                return
            raise FunctionError(f"`{self.name}` takes a list: resource, attribute, path…", "TypeError")
        if len(self.items) < (2 if self.needs_attribute else 1):
            raise FunctionError(f"`{self.name}` takes a resource, an attribute and a path")

    @property
    def items(self) -> list[TemplateValue]:
        return self.args.items if isinstance(self.args, ListNode) else self.args

    def parts(self, scope: Scope) -> list[TemplateValue]:
        wrapping = Wrapping()
        parts = peel(resolve(self.args, scope), wrapping, 1)
        if not isinstance(parts, list) or not parts:
            raise FunctionError(f"`{self.name}` takes a list: resource, attribute, path…", "TypeError")
        return [wrapping.around(part) for part in parts]

    def resource(self, scope: Scope) -> str | None:
        written = isinstance(self.args, (list, ListNode))
        first = resolve(self.items[0], scope) if written else self.parts(scope)[0]
        return _resource_name(first, scope, self.name)

    def validate(self, scope: Scope) -> None:
        parts = self.parts(scope)
        name = _resource_name(parts[0], scope, self.name)
        attribute = bare(parts[1]) if len(parts) > 1 else None
        if attribute is not None:
            try:
                scope.check_attribute(name, str(attribute))
            except FunctionError as error:
                raise _without_secrets(error, self.name, parts) from None

    def compute(self, scope: Scope) -> TemplateValue:
        parts = self.parts(scope)
        name = _resource_name(parts[0], scope, self.name)
        rest = bare(parts[1:])
        if not rest:
            return scope.all_attributes(name)
        return _as_known(scope.attribute(name, str(rest[0]), rest[1:]), parts)


class GetAttrAll(GetAttr):
    """An attribute of a resource, or all of them; null if a path in it does not exist."""

    needs_attribute = False

    def __init__(self, name: str, args: TemplateValue, path: Path) -> None:
        # Heat accepts a bare name only if it has a single letter: it counts letters like items.
        bare_name = isinstance(args, str) and len(args) == 1
        super().__init__(name, [args] if bare_name else args, path)


class GetAtt(GetAttr):
    """An attribute of a resource."""

    def check(self) -> None:
        if not self.has_list(2):
            raise FunctionError(f"`{self.name}` takes a list of a resource and an attribute")


class Ref(Call):
    """A resource's reference id or, if there is no such resource, a parameter's value."""

    def check(self) -> None:
        if isinstance(self.args, (dict, list, Node)):
            raise FunctionError(f"`{self.name}` takes the name of a resource or a parameter", "TypeError")

    def compute(self, scope: Scope) -> TemplateValue:
        name = bare(resolve(self.args, scope))
        if isinstance(name, str) and scope.has_resource(name):
            return scope.reference(name)
        if isinstance(name, str) and scope.has_parameter(name):
            return scope.parameter(name)
        hint = scope.resource_hint(str(name))
        message = f"there is no resource or parameter `{name}`"
        raise FunctionError(message, "InvalidTemplateReference", hint)

    def resource(self, scope: Scope) -> str | None:
        name = bare(resolve(self.args, scope))
        return name if isinstance(name, str) and scope.has_resource(name) else None


class ParamRef(Ref):
    """Ref inside a condition, where only parameters are allowed."""

    def compute(self, scope: Scope) -> TemplateValue:
        name = bare(resolve(self.args, scope))
        if isinstance(name, str) and scope.has_parameter(name):
            return scope.parameter(name)
        raise FunctionError(f"there is no parameter `{name}`", "InvalidTemplateReference")

    def resource(self, scope: Scope) -> str | None:
        return None


class GetFile(Call):
    """The content of a file of the request."""

    def apply(self, args: object, scope: Scope) -> TemplateValue:
        if not isinstance(args, str):
            raise FunctionError(f"`{self.name}` takes the name of a file", "TypeError")
        if args not in scope.files:
            raise FunctionError(f"the file {args} is not among the files of the request")
        return scope.files[args]


class ResourceFacade(Call):
    """Metadata or a policy of the parent template's resource that this template implements."""

    FACETS = ("metadata", "deletion_policy", "update_policy")

    def check(self) -> None:
        if self.args not in self.FACETS:
            raise FunctionError(f"`{self.name}` takes one of {', '.join(self.FACETS)}")

    def apply(self, args: object, scope: Scope) -> TemplateValue:
        return scope.facade(ResourceFacade.FACETS[self.FACETS.index(args)])


class ResourceFacadeCfn(ResourceFacade):
    """The same with the names of CFN."""

    FACETS = ("Metadata", "DeletionPolicy", "UpdatePolicy")


class GetAZs(Call):
    """The availability zones for servers. The region in the argument is ignored."""

    def compute(self, scope: Scope) -> TemplateValue:
        return scope.availability_zones()


class FindInMap(Call):
    """A value of the Mappings section."""

    def check(self) -> None:
        if not self.has_list(3):
            raise FunctionError(f"`{self.name}` takes a list of a mapping, a key and a second key")

    def apply(self, args: TemplateValue, scope: Scope) -> TemplateValue:
        value: TemplateValue = scope.mappings
        for key in args:
            try:
                value = value[key]
            except (KeyError, TypeError, IndexError) as error:
                kind = type(error).__name__
                raise FunctionError(f"the mappings have no key `{key}`", kind) from None
        return value
