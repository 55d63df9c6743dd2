"""AWS::IAM::User and AWS::IAM::AccessKey at work."""

from __future__ import annotations

import pytest

from calor.resources.outcomes import ResourceFailed
from calor.testing import FakeContext, properties_of, run
from calor.types.aws.iam.access_key import AccessKey
from calor.types.aws.iam.user import User


def test_a_user_is_made_and_goes_with_the_resource() -> None:
    context = FakeContext(User)

    run(User.create(context, properties_of(User)))
    run(User.suspend(context))
    run(User.resume(context))
    run(User.delete(context))

    assert context.physical_id == "user-1"
    assert context.reference == context.physical_name()
    assert context.calls == [
        "create_user",
        ("enable_user", False),
        ("enable_user", True),
        "remove_signalling",
    ]


def test_it_gets_the_password_that_is_given() -> None:
    context = FakeContext(User)

    run(User.create(context, properties_of(User, LoginProfile={"Password": "secret"})))

    assert context.calls == [("create_user", "secret")]


def test_keys_are_those_of_the_user() -> None:
    user = FakeContext(User, name="user")
    properties = properties_of(AccessKey, UserName="user")
    context = FakeContext(AccessKey, properties, peers={"user": user})

    run(AccessKey.create(context, properties))

    assert context.physical_id == "access-of-user"
    assert AccessKey.attribute(context, "SecretAccessKey") == "secret-of-user"
    assert AccessKey.attribute(context, "UserName") == "user"


def test_keys_of_nobody() -> None:
    with pytest.raises(ResourceFailed, match="could not find user"):
        run(AccessKey.create(FakeContext(AccessKey), properties_of(AccessKey, UserName="nobody")))
