"""The interface for resource types: declarations, hooks, and the contexts that hooks receive."""

from calor.language.schema import (
    ANY,
    SHOW,
    Attribute,
    Property,
    Replace,
    Resolve,
    deprecated,
    hidden,
    supported,
    unsupported,
)
from calor.resources.context import Context
from calor.resources.contract import ResourceType
from calor.resources.outcomes import NeedsReplacement, NothingToDo, ResourceFailed, Stage
from calor.resources.values import JsonMapping, JsonObject, Properties

__all__ = [
    "ANY",
    "SHOW",
    "Attribute",
    "Context",
    "JsonMapping",
    "JsonObject",
    "NeedsReplacement",
    "NothingToDo",
    "Properties",
    "Property",
    "Replace",
    "Resolve",
    "ResourceFailed",
    "ResourceType",
    "Stage",
    "deprecated",
    "hidden",
    "supported",
    "unsupported",
]
