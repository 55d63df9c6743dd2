"""Functions on lists and maps."""

from __future__ import annotations

import contextlib
import itertools
import json
import math

from calor.language.expressions import SHORT, Call, FunctionError, ListNode, MapNode, Node, Scope
from calor.language.functions.sizes import MOST_TEXT, check_items, check_text
from calor.language.reader import DEFAULT_LIMITS, too_deep
from calor.language.values import TemplateMap, TemplateValue, size_of

ROUNDS = 16
"""The number of repetitions after which their size is counted: each may have the maximum length."""


class MapMerge(Call):
    """Maps merged into one; later ones win."""

    levels = 2

    def apply(self, args: object, scope: Scope) -> TemplateValue:
        if not isinstance(args, list):
            raise FunctionError(f"`{self.name}` takes a list of maps", "TypeError")
        made: TemplateMap = {}
        for part in args:
            if part is not None and not isinstance(part, dict):
                raise FunctionError(f"`{self.name}` takes maps; {part} is not a map", "TypeError")
            made.update(part or {})
        return made


class MapReplace(Call):
    """A map with keys and values replaced."""

    def apply(self, args: object, scope: Scope) -> TemplateValue:
        usage = f"`{self.name}` takes a list of a map and a map of `keys` and `values`"
        if not isinstance(args, list) or len(args) != 2:
            raise FunctionError(usage, "TypeError")
        source, changes = (_map_or_empty(part, usage) for part in args)
        if not set(changes) <= {"keys", "values"}:
            raise FunctionError(usage)
        keys = _map_or_empty(changes.get("keys"), usage)
        values = _map_or_empty(changes.get("values"), usage)
        made: TemplateMap = {}
        for key, value in source.items():
            renamed = _exchanged(key, keys)
            renamed = key if renamed is None else renamed
            if isinstance(renamed, (dict, list)):
                raise FunctionError(f"`{self.name}`: {key} cannot be renamed to a map or a list", "TypeError")
            if renamed in made or (renamed != key and renamed in source):
                raise FunctionError(
                    f"`{self.name}`: {key} would be renamed to {renamed}, which already exists"
                )
            made[renamed] = _exchanged(value, values)
        return made


def _map_or_empty(value: object, usage: str) -> TemplateMap:
    if value is not None and not isinstance(value, dict):
        raise FunctionError(usage, "TypeError")
    return value or {}


def _exchanged(value: object, changes: TemplateMap) -> TemplateValue:
    try:
        return changes.get(value, value)
    except TypeError:
        return value


class ListConcat(Call):
    """Lists joined into one."""

    levels = 2

    def apply(self, args: object, scope: Scope) -> TemplateValue:
        if not isinstance(args, list):
            raise FunctionError(f"`{self.name}` takes a list of lists", "TypeError")
        made: list[TemplateValue] = []
        for part in args:
            if part is not None and not isinstance(part, list):
                raise FunctionError(f"`{self.name}` takes lists; {part} is not a list", "TypeError")
            check_items(self.name, len(made) + len(part or []))
            made.extend(part or [])
        return made


class ListConcatUnique(ListConcat):
    """Lists joined into one, without duplicates."""

    levels = Call.levels

    def apply(self, args: object, scope: Scope) -> TemplateValue:
        made: TemplateMap = {}
        for item in super().apply(args, scope):
            made.setdefault(_comparable(item), item)
        return list(made.values())


class Contains(Call):
    """Whether a list or a string contains a value."""

    def check(self) -> None:
        if not isinstance(self.args, (list, ListNode)):
            raise FunctionError(f"`{self.name}` takes a list of a value and a list", "TypeError")
        if not self.has_list(2):
            raise FunctionError(f"`{self.name}` takes a list of a value and a list")

    def apply(self, args: TemplateValue, scope: Scope) -> TemplateValue:
        value, sequence = args
        if not isinstance(sequence, (list, str)):
            raise FunctionError(f"`{self.name}` searches a list or a string only", "TypeError")
        if isinstance(sequence, str) and not isinstance(value, str):
            raise FunctionError(f"`{self.name}`: only a string can be contained in a string", "TypeError")
        return value in sequence


class Filter(Call):
    """A list without certain values."""

    def check(self) -> None:
        if not isinstance(self.args, (list, ListNode)):
            raise FunctionError(f"`{self.name}` takes a list of values and a list", "TypeError")
        if not self.has_list(2):
            raise FunctionError(f"`{self.name}` takes a list of values and a list")

    def apply(self, args: TemplateValue, scope: Scope) -> TemplateValue:
        values, sequence = args
        if not sequence:
            return sequence
        if not isinstance(sequence, list) or not isinstance(values or [], list):
            raise FunctionError(f"`{self.name}` works on lists only", "TypeError")
        unwanted = set(map(_comparable, values or []))
        return [item for item in sequence if _comparable(item) not in unwanted]


def _comparable(value: object) -> TemplateValue:
    """A hashable form that is equal for equal values; comparing items one by one would be quadratic."""
    if isinstance(value, dict):
        return dict, frozenset((key, _comparable(item)) for key, item in value.items())
    return (list, *map(_comparable, value)) if isinstance(value, list) else value


class Repeat(Call):
    """A template repeated for each item of a list, or for each combination of several lists' items."""

    takes_maps = False
    takes_permutations = False

    def check(self) -> None:
        args = self._written()
        if not isinstance(args, dict):
            raise FunctionError(f"`{self.name}` takes a map of `template` and `for_each`", "TypeError")
        for key in ("template", "for_each"):
            if key not in args:
                raise FunctionError(f"`{self.name}` requires `{key}`", "KeyError")
        if self.takes_permutations and not isinstance(args.get("permutations", True), bool):
            raise FunctionError(f"`{self.name}`: `permutations` must be a boolean", "TypeError")

    def _written(self) -> TemplateValue:
        return self.args.entries if isinstance(self.args, MapNode) else self.args

    def validate(self, scope: Scope) -> None:
        if not isinstance(self._written()["for_each"], (dict, Node)):
            raise FunctionError(f"`{self.name}`: `for_each` must be a map", "TypeError")

    def apply(self, args: TemplateValue, scope: Scope) -> TemplateValue:
        for_each, permutations = args["for_each"], args.get("permutations", True)
        if not isinstance(for_each, dict):
            raise FunctionError(f"`{self.name}`: `for_each` must be a map", "AttributeError")
        if not for_each:
            raise FunctionError(f"`{self.name}`: `for_each` is empty")
        nested = permutations is not False or not self.takes_permutations
        if not all(isinstance(placeholder, str) for placeholder in for_each):
            raise FunctionError(f"`{self.name}`: the keys of `for_each` must be strings", "TypeError")
        lists = [self._items(items, nested) for items in for_each.values()]
        if nested:
            check_items(self.name, math.prod(map(len, lists)) * _size(args["template"]))
            rounds = list(itertools.product(*lists))
        elif len({len(items) for items in lists}) > 1:
            raise FunctionError(f"`{self.name}`: without permutations all lists must have the same length")
        else:
            check_items(self.name, len(lists[0]) * _size(args["template"]))
            rounds = list(zip(*lists, strict=True))
        template = args["template"]
        if len(rounds) <= ROUNDS and isinstance(template, str) and len(template) <= SHORT:
            return [self._filled(template, list(zip(for_each, items, strict=True))) for items in rounds]
        scope.budget.work(len(rounds) * len(for_each) * size_of(template, MOST_TEXT))
        made: list[TemplateValue] = []
        # All are counted at the end; if there are many, some are counted before, to limit memory.
        for start in range(0, len(rounds), ROUNDS):
            some = rounds[start : start + ROUNDS]
            made += [self._filled(template, list(zip(for_each, items, strict=True))) for items in some]
            if len(made) < len(rounds):
                scope.budget.spend(made[-ROUNDS:])
        return made

    def _items(self, items: object, nested: bool = True) -> list[TemplateValue]:
        if items is None:
            return []
        if isinstance(items, list):
            return items
        if isinstance(items, dict) and self.takes_maps and nested:
            return list(items)
        raise FunctionError(f"`{self.name}`: the values of `for_each` must be lists", "TypeError")

    def _filled(self, template: object, pairs: list[tuple[str, TemplateValue]]) -> TemplateValue:
        if isinstance(template, str):
            for placeholder, item in pairs:
                if not isinstance(item, str):
                    message = f"`{self.name}`: {item} cannot be put into a string; items must be strings"
                    raise FunctionError(message, "TypeError")
                check_text(self.name, len(template) + template.count(placeholder) * len(item))
                template = template.replace(placeholder, item)
            return template
        if isinstance(template, list):
            return [self._filled(item, pairs) for item in template]
        if isinstance(template, dict):
            return {self._filled(key, pairs): self._filled(value, pairs) for key, value in template.items()}
        return template


def _size(value: object) -> int:
    """The number of values in a value, itself included."""
    if isinstance(value, dict):
        return 1 + sum(map(_size, value.values()))
    return 1 + sum(map(_size, value)) if isinstance(value, list) else 1


class RepeatMaps(Repeat):
    """A template repeated for each item of a list or key of a map, or for each combination of several."""

    takes_maps = True


class RepeatPermutations(RepeatMaps):
    """A template repeated for each item, for each combination of items, or for items side by side."""

    takes_permutations = True


class Select(Call):
    """An item of a list or a map, or an empty string if there is none."""

    def check(self) -> None:
        if not self.has_list(2):
            raise FunctionError(f"`{self.name}` takes a list of an index and a list or map")

    def apply(self, args: TemplateValue, scope: Scope) -> TemplateValue:
        index, collection = args
        if isinstance(collection, str) and collection:
            try:
                collection = json.loads(collection)
                if too_deep(collection, DEFAULT_LIMITS.depth):
                    raise ValueError("nested too deeply")
            except (ValueError, RecursionError):
                raise FunctionError(f"`{self.name}`: this string is neither a list nor a map") from None
        if collection is None or collection == "":
            return ""
        if isinstance(collection, dict):
            if not isinstance(index, str):
                raise FunctionError(f"`{self.name}`: the key of a map must be a string", "TypeError")
            return collection.get(index, "")
        with contextlib.suppress(ValueError, TypeError, OverflowError):
            index = int(index)
        if isinstance(collection, list):
            if not isinstance(index, int):
                raise FunctionError(f"`{self.name}`: the index of a list must be a number", "TypeError")
            try:
                return collection[index]
            except IndexError:
                return ""
        raise FunctionError(f"`{self.name}` selects from a list or a map", "TypeError")


class MemberListToMap(Call):
    """A map made from `.member.0.Name=…` and `.member.0.Value=…` items."""

    def check(self) -> None:
        if not self.has_list(3):
            raise FunctionError(f"`{self.name}` takes the name of the key, of the value, and a list")
        names = (self.args.items if isinstance(self.args, ListNode) else self.args)[:2]
        if not all(isinstance(name, (str, Node)) for name in names):
            raise FunctionError(f"`{self.name}`: the names must be strings", "TypeError")

    def apply(self, args: TemplateValue, scope: Scope) -> TemplateValue:
        key_name, value_name, members = args
        if not isinstance(key_name, str) or not isinstance(value_name, str):
            raise FunctionError(f"`{self.name}`: the names must be strings", "TypeError")
        if members is None or not isinstance(members or [], (list, str)):
            raise FunctionError(f"`{self.name}` needs a list of members", "TypeError")
        found: dict[int, dict[str, str]] = {}
        for member in members or []:
            if not isinstance(member, str):
                raise FunctionError(f"`{self.name}`: a member must be a string", "TypeError")
            name, equals, value = member.partition("=")
            if not equals:
                raise FunctionError(f"`{self.name}`: the member {member} has no `=`")
            parts = name.split(".")
            if len(parts) >= 4 and parts[1] == "member" and parts[2].isdecimal() and len(parts[2]) < 20:
                found.setdefault(int(parts[2]), {})[".".join(parts[3:])] = value
        pairs = (found[number] for number in sorted(found))
        return {pair[key_name]: pair[value_name] for pair in pairs if key_name in pair and value_name in pair}
