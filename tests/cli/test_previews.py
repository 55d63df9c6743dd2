"""Plans as they are shown."""

from __future__ import annotations

from typing import Any

from calor.cli.stack.plans import Change, Step, count_changed, render, steps_of

PLAN: dict[str, Any] = {
    "plan": [
        {
            "action": "keep",
            "resource_name": "net",
            "path": ["net"],
            "resource_type": "N",
            "reason": "",
            "changes": [],
        },
        {
            "action": "update",
            "resource_name": "group",
            "path": ["group"],
            "resource_type": "G",
            "reason": "its stack changes",
            "changes": [],
            "nested": [
                {
                    "action": "replace",
                    "resource_name": "0",
                    "path": ["group", "0"],
                    "resource_type": "S",
                    "reason": "`image` cannot be changed",
                    "changes": [
                        {"property": "image", "before": "a", "after": "b"},
                        {"property": "port", "before": "p", "after": None, "after_known": False},
                    ],
                }
            ],
        },
    ]
}


def test_replacements_come_first_each_step_with_its_reason() -> None:
    assert render(steps_of(PLAN), color=False).splitlines() == [
        "± replace group/0  S  `image` cannot be changed",
        '    image: "a" → "b"',
        '    port: "p" → (known after apply)',
        "~ update group  G  its stack changes",
        "",
        "1 replaced, 1 updated in place, 1 unchanged",
    ]


def test_of_a_long_value_only_what_differs_inside_is_shown() -> None:
    def member(image: str, *networks: str, **more: Any) -> dict[str, Any]:
        properties = {"image": image, "networks": [{"network": name} for name in networks], **more}
        return {"type": "OS::Nova::Server", "properties": {"flavor": "m1.medium", **properties}}

    before, after = member("debian-11", "front", "back"), member("debian-12", "front", "rear", name="web")
    step = Step("update", ("group",), "G", "", (Change("resource_def", before, after),))

    assert render([step], color=False).splitlines()[1:-2] == [
        '    resource_def.properties.image: "debian-11" → "debian-12"',
        '    resource_def.properties.networks: [{"network": "front"}, {"network": "back"}] → '
        '[{"network": "front"}, {"network": "rear"}]',
        '    resource_def.properties.name: null → "web"',
    ]


def test_a_long_value_of_something_new_is_shown_part_by_part() -> None:
    value = {"type": "OS::Nova::Server", "properties": {"user_data": "#!/bin/sh\necho 1\n", "text": "x" * 90}}
    step = Step("create", ("group",), "G", "", (Change("resource_def", None, value),))

    shown = render([step], color=False).splitlines()[1:-2]

    assert shown == [
        '    resource_def.type: "OS::Nova::Server"',
        "    resource_def.properties.user_data:",
        "      #!/bin/sh",
        "      echo 1",
        f'    resource_def.properties.text: "{"x" * 90}"',
    ]


def test_without_a_plan_the_lists_of_heat_are_shown() -> None:
    def named(name: str, **more: Any) -> dict[str, Any]:
        return {"resource_name": name, "resource_type": "T", **more}

    answer = {
        "resource_changes": {
            "unchanged": [named("a")],
            "updated": [named("b")],
            "replaced": [named("c", parent_resource="g")],
            "added": [named("d")],
            "deleted": [named("e")],
        }
    }

    steps = steps_of(answer)

    assert render(steps, color=False).splitlines()[:4] == [
        "± replace g/c  T",
        "- delete e  T",
        "+ create d  T",
        "~ update b  T",
    ]
    assert count_changed(steps) == 4


def test_a_preview_of_a_new_stack_shows_what_it_will_be() -> None:
    answer = {
        "resources": [
            {"resource_name": "a", "resource_type": "T", "properties": {"size": 1, "none": None}},
            [{"resource_name": "b", "resource_type": "T", "parent_resource": "n"}],
        ]
    }

    assert render(steps_of(answer), color=False).splitlines() == [
        "+ create a  T",
        "    size: 1",
        "+ create n/b  T",
        "",
        "2 created",
    ]


def test_what_is_left_of_a_replaced_resource_goes_without_saying() -> None:
    steps = steps_of(
        {
            "plan": [
                raw("replace", "a", resource_type="http://x/server.yaml", reason="why"),
                raw("delete", "a", reason="there is another"),
            ]
        }
    )

    assert render(steps, color=False).splitlines() == ["± replace a  server.yaml  why", "", "1 replaced"]
    assert count_changed(steps) == 1


def raw(action: str, *path: str, **more: Any) -> dict[str, Any]:
    return {"action": action, "path": list(path), "resource_type": "T"} | more


def test_what_may_be_replaced_is_shown_and_counted_once_with_all_that_may_go_with_it() -> None:
    steps = steps_of(
        {
            "plan": [
                raw("undecided", "g", reason="perhaps in place", possible=["replace", "update"]),
                raw(
                    "undecided",
                    "g",
                    reason="it is deleted if it is replaced",
                    nested=[raw("delete", "g", "0")],
                ),
            ]
        }
    )

    assert render(steps, color=False).splitlines() == [
        "? may replace g  T  perhaps in place",
        "",
        "1 may be replaced",
    ]


def test_what_stays_is_counted_with_what_is_nested_in_it() -> None:
    plan = [raw("keep", "g", unchanged_below=3), raw("create", "h", nested=[raw("create", "h", "0")])]

    assert render(steps_of({"plan": plan}), color=False).splitlines()[-1] == "2 created, 4 unchanged"


def test_what_is_null_before_and_after_is_left_out() -> None:
    before = [{"uuid": None, "network": "one", "port": None}]
    after = [{"uuid": None, "network": None, "port": "p"}]
    step = Step("update", ("a",), "T", "", (Change("networks", before, after),))
    longer = Step("update", ("a",), "T", "", (Change("networks", before, [*before, *before]),))

    assert render([step], color=False).splitlines()[1] == (
        '    networks: [{"network": "one", "port": null}] → [{"network": null, "port": "p"}]'
    )
    assert render([longer], color=False).splitlines()[1] == (
        '    networks: [{"network": "one"}] → [{"network": "one"}, {"network": "one"}]'
    )


def test_a_long_text_that_is_not_known_yet_is_not_shown_as_gone() -> None:
    step = Step("update", ("a",), "T", "", (Change("user_data", "one\ntwo\n", None, known=False),))

    assert render([step], color=False).splitlines()[1:-2] == ["    user_data: (known after apply)"]


def test_long_texts_are_compared_line_by_line() -> None:
    step = Step("update", ("a",), "T", "", (Change("user_data", "one\ntwo\n", "one\nthree\n"),))

    assert render([step], color=False).splitlines()[1:6] == [
        "    user_data:",
        "      @@ -1,2 +1,2 @@",
        "       one",
        "      -two",
        "      +three",
    ]


def test_colours_are_only_for_terminals_and_values_cannot_steer_them() -> None:
    step = Step("update", ("a",), "T", "because \x1b[2J", (Change("p", 1, 2),))

    assert "\x1b" not in render([step], color=False)
    assert "\x1b[31m1\x1b[0m → \x1b[32m2\x1b[0m" in render([step], color=True)
    assert "\x1b[2J" not in render([step], color=True)


def test_nothing_to_do_is_said() -> None:
    assert render([Step("keep", ("a",), "T")], color=True) == "Nothing would change."


def test_what_may_be_replaced_comes_before_all_that_is_not_replaced() -> None:
    plan = [
        raw("update", "a"),
        raw("undecided", "b", possible=["keep", "update"]),
        raw("undecided", "c", possible=["keep", "replace", "update"]),
        raw("replace", "d"),
    ]
    steps = steps_of({"plan": plan})

    assert render(steps, color=False).splitlines() == [
        "± replace d  T",
        "? may replace c  T",
        "? may update b  T",
        "~ update a  T",
        "",
        "1 replaced, 1 may be replaced, 1 may be updated, 1 updated in place",
    ]
    assert "\x1b[33m1 may be replaced" in render(steps, color=True)


def test_resources_of_a_nested_stack_without_a_plan_may_be_replaced() -> None:
    steps = steps_of({"plan": [raw("update", "g", nested=[], nested_unknown="names are not known")]})

    assert render(steps, color=False).splitlines() == [
        "? may replace g/*  names are not known",
        "~ update g  T",
        "",
        "1 may be replaced, 1 updated in place",
    ]
    assert count_changed(steps) == 1


def test_a_change_of_what_is_masked_is_reported_without_values() -> None:
    masked = "curl -H 'X-Auth-Token: ******'\n"
    step = Step("update", ("a",), "T", "", (Change("user_data", masked, masked),))

    assert render([step], color=False).splitlines()[1] == "    user_data: (secret value changes)"
