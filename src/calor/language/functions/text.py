"""Functions on strings."""

from __future__ import annotations

import hashlib
import json
import urllib.parse
from collections.abc import Iterable, Mapping

from calor.language.expressions import SHORT, Call, FunctionError, ListNode, MapNode, Node, Scope
from calor.language.functions.sizes import check_items, check_size, check_text
from calor.language.values import MOST_ITEMS, TemplateValue


def substitute(text: str, replacements: Mapping[str, str]) -> tuple[str, list[str]]:
    """Returns the text with every placeholder replaced, and the placeholders that did not occur.

    The longest placeholders are replaced first, and inserted values are not searched again.
    """
    done: list[str | None] = [None]
    open_: list[str] = [text]
    missing = []
    for placeholder in sorted(replacements, key=lambda name: (-len(name), name)):
        if not any(placeholder in piece for piece in open_):
            missing.append(placeholder)
            continue
        next_done: list[str | None] = []
        next_open: list[str] = []
        for value, piece in zip(done, open_, strict=True):
            first, *others = piece.split(placeholder)
            next_done.append(value)
            next_open.append(first)
            for other in others:
                next_done.append(replacements[placeholder])
                next_open.append(other)
        done, open_ = next_done, next_open
    return "".join((value or "") + piece for value, piece in zip(done, open_, strict=True)), missing


def to_json(name: str, value: object) -> str:
    check_size(name, value)
    try:
        return json.dumps(value, sort_keys=True)
    except TypeError:
        raise FunctionError(f"`{name}`: a map has keys of different types", "TypeError") from None


class StrReplace(Call):
    """A string with placeholders replaced by values."""

    keeps_parts = True
    takes_collections = False

    def check(self) -> None:
        args = self.args.entries if isinstance(self.args, MapNode) else self.args
        if not isinstance(args, dict):
            raise FunctionError(f"`{self.name}` takes a map of `template` and `params`", "TypeError")
        for key in ("template", "params"):
            if key not in args:
                raise FunctionError(f"`{self.name}` requires `{key}`", "KeyError")
        if not isinstance(args["params"], (dict, Node)):
            raise FunctionError(f"`{self.name}`: `params` must be a map", "TypeError")

    def apply(self, args: TemplateValue, scope: Scope) -> TemplateValue:
        return self.replace(args["template"], args["params"], scope)

    def replace(self, template: object, params: object, scope: Scope) -> str:
        if not isinstance(template, str):
            raise FunctionError(f"`{self.name}`: the template must be a string", "TypeError")
        if params is None:
            params = {}
        if not isinstance(params, dict):
            raise FunctionError(f"`{self.name}`: the params must be a map", "TypeError")
        if len(template) > SHORT:
            scope.budget.work(len(template) * len(params))
        replacements = {}
        for placeholder, value in params.items():
            if not isinstance(placeholder, str):
                raise FunctionError(
                    f"`{self.name}`: the placeholder {placeholder} must be a string", "TypeError"
                )
            if not placeholder:
                raise FunctionError(f"`{self.name}`: a placeholder is empty")
            replacements[placeholder] = self.text_of(placeholder, value)
        longest = sum(template.count(name) * len(value) for name, value in replacements.items())
        check_text(self.name, len(template) + longest)
        made, missing = substitute(template, replacements)
        self.check_missing(missing)
        return made

    def text_of(self, placeholder: str, value: object) -> str:
        if value is None:
            return ""
        if isinstance(value, (str, int, float)):
            return str(value)
        if self.takes_collections and isinstance(value, (dict, list)):
            return to_json(self.name, value)
        allowed = "a string, a number, a map or a list" if self.takes_collections else "a string or a number"
        message = f"`{self.name}`: the value of {placeholder} must be {allowed}"
        raise FunctionError(message, "TypeError", wrong_value=value)

    def check_missing(self, missing: Iterable[str]) -> None:
        pass


class StrReplaceJson(StrReplace):
    """A string with placeholders replaced by values, maps and lists as JSON."""

    takes_collections = True


class StrReplaceStrict(StrReplaceJson):
    """A string with placeholders replaced by values; every placeholder must occur in it."""

    def check_missing(self, missing: Iterable[str]) -> None:
        if missing := list(missing):
            raise FunctionError(f"`{self.name}`: the template has no {', '.join(missing)}")


class StrReplaceVeryStrict(StrReplaceStrict):
    """Like str_replace_strict, and no value may be empty."""

    def text_of(self, placeholder: str, value: object) -> str:
        if value is None or value in ("", [], {}):
            raise FunctionError(f"`{self.name}`: the value of {placeholder} is empty")
        return super().text_of(placeholder, value)


class ReplaceCfn(StrReplace):
    """A string with placeholders replaced by values, which are given first."""

    def check(self) -> None:
        if not self.has_list(2):
            raise FunctionError(f"`{self.name}` takes a list of a map and a string")
        params = self.args.items[0] if isinstance(self.args, ListNode) else self.args[0]
        if not isinstance(params, (dict, Node)):
            raise FunctionError(f"`{self.name}`: the replacements must be a map", "TypeError")

    def apply(self, args: TemplateValue, scope: Scope) -> TemplateValue:
        params, template = args
        return self.replace(template, params, scope)


class ListJoin(Call):
    """The items of a list joined by a delimiter."""

    keeps_parts = True

    def check(self) -> None:
        if not self.has_list(2):
            raise FunctionError(f"`{self.name}` takes a list of a delimiter and a list")

    def apply(self, args: TemplateValue, scope: Scope) -> TemplateValue:
        delimiter, *lists = args
        strings: list[str] = []
        length = 0
        for items in lists:
            if not isinstance(items, list) and not self.is_nothing(items):
                raise FunctionError(f"`{self.name}` joins lists, not {_shape(items)}", "TypeError")
            for item in items or []:
                strings.append(self.text_of(item))
                length += len(strings[-1])
                check_text(self.name, length)
        if not isinstance(delimiter, str):
            raise FunctionError(f"`{self.name}`: the delimiter must be a string", "TypeError")
        check_text(self.name, length + len(delimiter) * len(strings))
        return delimiter.join(strings)

    def is_nothing(self, items: object) -> bool:
        return items is None

    def text_of(self, item: object) -> str:
        if item is None:
            return ""
        if isinstance(item, str):
            return item
        raise FunctionError(
            f"`{self.name}` joins strings, not {_shape(item)}: {item}", "TypeError", wrong_value=item
        )


class ListJoinMany(ListJoin):
    """The items of one or more lists joined by a delimiter, maps and lists among them as JSON."""

    def check(self) -> None:
        if not self.has_list(*range(2, 10_000)):
            raise FunctionError(f"`{self.name}` takes a list of a delimiter and one or more lists")

    def is_nothing(self, items: object) -> bool:
        return not items

    def text_of(self, item: object) -> str:
        return to_json(self.name, item) if isinstance(item, (dict, list)) else super().text_of(item)


def split(name: str, delimiter: object, text: object) -> list[str]:
    """The parts of a text; without a delimiter, it is split at white space."""
    if not isinstance(text, str):
        raise FunctionError(f"`{name}` splits strings only", "AttributeError")
    if delimiter is not None and not isinstance(delimiter, str):
        raise FunctionError(f"`{name}`: the delimiter must be a string", "TypeError")
    if delimiter == "":
        raise FunctionError(f"`{name}`: the delimiter is empty")
    parts = text.split(delimiter, MOST_ITEMS)
    check_items(name, len(parts))
    return parts


class StrSplit(Call):
    """The parts of a string between delimiters, or one of them."""

    def check(self) -> None:
        if isinstance(self.args, (str, dict, MapNode)):
            raise FunctionError(f"`{self.name}` takes a list of a delimiter and a string", "TypeError")

    def apply(self, args: object, scope: Scope) -> TemplateValue:
        if not isinstance(args, list) or len(args) < 2:
            raise FunctionError(
                f"`{self.name}` takes a list of a delimiter, a string and optionally an index"
            )
        delimiter, text, *index = args
        if text is None:
            return None
        parts = split(self.name, delimiter, text)
        if not index:
            return parts
        try:
            return parts[int(index[0])]
        except (ValueError, IndexError, OverflowError):
            raise FunctionError(f"`{self.name}`: there is no part {index[0]} of {len(parts)}") from None
        except TypeError:
            raise FunctionError(f"`{self.name}`: the index must be a number", "TypeError") from None


class SplitCfn(Call):
    """The parts of a string between delimiters."""

    def check(self) -> None:
        if not self.has_list(2):
            raise FunctionError(f"`{self.name}` takes a list of a delimiter and a string")

    def apply(self, args: TemplateValue, scope: Scope) -> TemplateValue:
        delimiter, text = args
        if not isinstance(text, str) or not isinstance(delimiter, str):
            raise FunctionError(f"`{self.name}` takes two strings", "TypeError")
        return split(self.name, delimiter, text)


class Digest(Call):
    """The hexadecimal digest of a string."""

    def apply(self, args: object, scope: Scope) -> TemplateValue:
        if not isinstance(args, list) or not all(isinstance(arg, str) for arg in args):
            raise FunctionError(f"`{self.name}` takes a list of an algorithm and a string", "TypeError")
        if len(args) != 2:
            raise FunctionError(f"`{self.name}` takes a list of an algorithm and a string")
        algorithm, text = args
        if algorithm.lower() not in hashlib.algorithms_available:
            raise FunctionError(f"`{self.name}`: there is no algorithm {algorithm}")
        try:
            return hashlib.new(algorithm.lower(), text.encode("latin-1")).hexdigest()
        except UnicodeEncodeError:
            raise FunctionError(
                f"`{self.name}`: the string has characters outside of Latin-1", "UnicodeEncodeError"
            ) from None
        except TypeError:
            raise FunctionError(f"`{self.name}`: {algorithm} has no fixed length", "TypeError") from None
        except ValueError:
            raise FunctionError(f"`{self.name}`: {algorithm} is not available here") from None


class Base64(Call):
    """The string unchanged; it is encoded where it is used."""

    def apply(self, args: object, scope: Scope) -> TemplateValue:
        if not isinstance(args, str):
            raise FunctionError(f"`{self.name}` takes a string", "TypeError")
        return args


class MakeUrl(Call):
    """A URL built from its parts, each quoted as needed."""

    PARTS = ("scheme", "username", "password", "host", "port", "path", "query", "fragment")

    def validate(self, scope: Scope) -> None:
        args = self.args.entries if isinstance(self.args, MapNode) else self.args
        if not isinstance(args, dict):
            raise FunctionError(f"`{self.name}` takes a map of {', '.join(self.PARTS)}", "TypeError")
        if unknown := sorted(str(part) for part in args if part not in self.PARTS):
            raise FunctionError(f"`{self.name}` has no part {', '.join(unknown)}")
        self._check_parts({part: value for part, value in args.items() if not isinstance(value, Node)})

    def _check_parts(self, parts: dict[str, TemplateValue]) -> None:
        for part, value in parts.items():
            if part == "query":
                if not isinstance(value, dict):
                    raise FunctionError(f"`{self.name}`: the query must be a map", "TypeError")
            elif part == "port":
                self._check_port(value)
            elif part in self.PARTS and not isinstance(value, str):
                raise FunctionError(f"`{self.name}`: the {part} must be a string", "TypeError")

    def _check_port(self, value: TemplateValue) -> None:
        try:
            port = int(value)
        except (ValueError, OverflowError):
            raise FunctionError(f"`{self.name}`: the port {value} is not a number") from None
        except TypeError:
            raise FunctionError(f"`{self.name}`: the port must be a number", "TypeError") from None
        if not 1 <= port <= 65535:
            raise FunctionError(f"`{self.name}`: the port {port} is not between 1 and 65535")

    def apply(self, args: object, scope: Scope) -> TemplateValue:
        if not isinstance(args, dict):
            kind = "AttributeError" if isinstance(args, (str, list)) else "TypeError"
            raise FunctionError(f"`{self.name}` takes a map of {', '.join(self.PARTS)}", kind)
        self._check_parts(args)
        parts = {part: args.get(part) or "" for part in self.PARTS}
        if ":" in parts["scheme"]:
            raise FunctionError(f"`{self.name}`: the scheme must not contain a colon")
        try:
            return self._joined(parts)
        except UnicodeEncodeError:
            message = f"`{self.name}`: a part has characters that are not valid Unicode"
            raise FunctionError(message, "UnicodeEncodeError") from None

    def _joined(self, parts: dict[str, TemplateValue]) -> str:
        path = urllib.parse.quote(parts["path"])
        netloc = self._netloc(parts)
        if netloc and path and not path.startswith("/"):
            path = "/" + path
        query = urllib.parse.urlencode(parts["query"] or {}, safe="/")
        fragment = urllib.parse.quote(parts["fragment"])
        joined: str = urllib.parse.urlunsplit((parts["scheme"], netloc, path, query, fragment))
        return joined

    @staticmethod
    def _netloc(parts: dict[str, TemplateValue]) -> str:
        made = ""
        if parts["username"]:
            made = urllib.parse.quote(parts["username"], safe="")
        if parts["password"]:
            made += ":" + urllib.parse.quote(parts["password"], safe="")
        if made:
            made += "@"
        host = parts["host"]
        if host.startswith("[") and host.endswith("]"):
            host = host[1:-1]
        quoted = urllib.parse.quote(host, safe=":")
        made += f"[{quoted}]" if ":" in host else quoted
        return made + (f":{parts['port']}" if parts["port"] else "")


def _shape(value: object) -> str:
    return {dict: "a map", list: "a list", str: "a string", bool: "a boolean"}.get(type(value), "a number")
