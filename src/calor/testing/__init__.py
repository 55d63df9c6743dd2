"""Test support for resource types without a server: a resource to run hooks on, and a cloud in memory."""

from calor.testing.cloud import FakeCloud, Request
from calor.testing.context import FakeContext, FakeMember, FakeNestedStack, run
from calor.testing.lifecycle import Resource, resource
from calor.testing.properties import InvalidProperties, properties_of

__all__ = [
    "FakeCloud",
    "FakeContext",
    "FakeMember",
    "FakeNestedStack",
    "InvalidProperties",
    "Request",
    "Resource",
    "properties_of",
    "resource",
    "run",
]
