"""What can happen to a resource: the kinds of decisions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import assert_never

from calor.language.values import definitely_differs, has_unknown, revealed


class Kind(Enum):
    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    DELETE = "delete"
    KEEP = "keep"
    FORBIDDEN = "forbidden"
    """The action fails here."""
    UNDECIDED = "undecided"
    """Depends on values that are not known yet, or on what the type finds during the update."""

    # How the engine does it. Plans show these as one of the above, see `Decision.foreseen`.
    RESUME = "resume"
    """Continues a creation that was interrupted."""
    ADOPT = "adopt"
    """Takes over an object of an abandoned stack."""
    REFER = "refer"
    """Refers to an object that the stack does not manage (`external_id`)."""
    RECOVER = "recover"
    """Keeps a failed resource if its object is healthy, and replaces it otherwise."""
    RECLAIM = "reclaim"
    """Rolls back an unfinished replacement (`revert_replace`), as the resource is wanted again."""


@dataclass(frozen=True, slots=True)
class Change:
    """A property's values before and after; both may be secrets, and the new one may not be known yet."""

    name: str
    before: object
    after: object

    @property
    def known(self) -> bool:
        return not has_unknown(self.after)

    @property
    def certain(self) -> bool:
        """Whether the value certainly changes, even if the new one is not known."""
        return self.known or definitely_differs(revealed(self.before), self.after)


@dataclass(frozen=True, slots=True)
class Decision:
    kind: Kind
    reason: str
    changes: tuple[Change, ...] = ()
    possible: frozenset[Kind] = frozenset()
    """What an undecided decision or a recovery may become."""
    shown_as: Kind | None = None
    """The kind that plans show, if that differs."""
    then: Decision | None = None
    """The decision to carry out after a reclaim."""
    forbids: Kind | None = None
    """The forbidden kind of change."""
    error: str = "NotSupported"
    """The error class of a forbidden change."""
    refused: tuple[str, ...] = ()
    """The properties that can never be changed."""
    untouched: bool = False
    """Whether a forbidden change does not make the resource fail, which would replace it later."""

    @property
    def changed(self) -> frozenset[str]:
        return frozenset(change.name for change in self.changes)

    @property
    def replaces(self) -> bool:
        """Whether a new row replaces the present one."""
        return Kind.REPLACE in (self.kind, self.shown_as)

    @property
    def foreseen(self) -> Decision:
        """The decision as plans show it."""
        match self.kind:
            case Kind.RECLAIM:
                assert self.then is not None
                return self.then.foreseen
            case Kind.RESUME | Kind.ADOPT | Kind.REFER | Kind.RECOVER:
                assert self.shown_as is not None
                return replace(self, kind=self.shown_as, shown_as=None)
            case (
                Kind.CREATE
                | Kind.UPDATE
                | Kind.REPLACE
                | Kind.DELETE
                | Kind.KEEP
                | Kind.FORBIDDEN
                | Kind.UNDECIDED
            ):
                return self
            case _:
                assert_never(self.kind)

    def may_be(self, *kinds: Kind) -> bool:
        """Whether it is or may become one of these kinds."""
        return any(kind is self.kind or kind in self.possible for kind in kinds)
