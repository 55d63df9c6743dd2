"""The codes of diagnostics, and what is behind each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of finding: `explain` shows all of it."""

    code: str
    title: str
    explanation: str
    example: str = ""


def _table(*codes: Code) -> dict[str, Code]:
    return {entry.code: entry for entry in codes}


CODES = _table(
    Code(
        "E101",
        "the text is not YAML",
        "The reader stopped at the marked place. Most often the indentation is off by a space, a tab was used, "
        "or a value with `: ` or a leading special character is not quoted.",
        "description: ports: 80 and 443     # wrong: the second colon\ndescription: 'ports: 80 and 443'   # right",
    ),
    Code("E102", "the file is not text", "Templates are UTF-8 text. The file holds bytes that are not."),
    Code(
        "E103",
        "the text is not a mapping",
        "A template or environment is a mapping of sections at its top; this one is a list or a single value.",
    ),
    Code(
        "E104",
        "nested too deeply",
        "Maps and lists stand in each other deeper than any template needs. The limit keeps hostile input harmless.",
    ),
    Code("E105", "more than one document", "A file holds a single template. Remove the `---` in the middle."),
    Code("E106", "the text is too large", "The file is larger than a server would accept."),
    Code(
        "E107",
        "a bad alias",
        "An alias (`*name`) refers to an anchor that is not defined before it, contains itself, or would expand "
        "to far more text than was written. A value that starts with `*` has to be quoted.",
    ),
    Code(
        "E108",
        "a bad key or merge",
        "A map or list stands where a key is expected (often `{{ name }}` from another tool that was left "
        "unquoted), or `<<` merges something that is not a map.",
    ),
    Code(
        "E109",
        "a value that cannot be read",
        "The value has a tag or a form that templates do not know. The short forms of functions from "
        "CloudFormation (`!Ref name`) have to be written as maps (`Ref: name`).",
    ),
    Code(
        "E110",
        "no valid version",
        "Every template says in its first lines which version of the language it is written in. The version "
        "decides which sections and functions exist.",
        "heat_template_version: 2021-04-16",
    ),
    Code("E111", "an unknown section", "The version of the template has no section of this name."),
    Code("E112", "a section of the wrong shape", "The section has to be a map of names."),
    Code(
        "E113",
        "a resource cannot be read",
        "A resource is a map, and its name is text without a slash, of at most 255 characters.",
    ),
    Code("E114", "a wrong key in a resource", "A resource has no such key, or its value has the wrong shape."),
    Code("E115", "a resource without a type", "The type says what the resource is; it is plain text, no function."),
    Code("E116", "a name used twice", "A parameter and a resource have the same name."),
    Code(
        "E117",
        "a wrong parameter group",
        "A group lists parameters that the template declares, each in one group at most.",
    ),
    Code("E118", "a wrong output", "An output is a map with a value, and perhaps a description and a condition."),
    Code("E201", "a wrong parameter", "The declaration of a parameter is a map with at least a type."),
    Code("E202", "an unknown key in a parameter", "The declaration has a key that parameters do not have."),
    Code(
        "E203",
        "a wrong type of parameter",
        "Parameters are of type string, number, json, comma_delimited_list or boolean.",
    ),
    Code(
        "E204",
        "a wrong constraint",
        "The constraint does not exist, does not fit the type of the parameter, or is written wrongly.",
        "constraints:\n  - range: {min: 1, max: 10}\n    description: one to ten",
    ),
    Code("E205", "a default against its own constraint", "The default would be refused if a user gave it."),
    Code("E206", "a reserved parameter", "Pseudo parameters exist in every template and cannot be declared."),
    Code("E207", "an unknown parameter was given", "The command line or an environment gives a value for a "
         "parameter that the template does not declare. `parameter_defaults` may name unknown ones."),
    Code("E208", "a parameter has no value", "The parameter has no default, and nothing gives it a value."),
    Code("E209", "a value of the wrong type", "The value given for a parameter cannot be read as its type."),
    Code("E210", "a value against a constraint", "The value given for a parameter breaks one of its constraints."),
    Code("E301", "an environment is not a map", "An environment is a map of sections."),
    Code("E302", "an unknown section in an environment", "Environments have parameters, parameter_defaults, "
         "resource_registry, event_sinks, encrypted_param_names and parameter_merge_strategies."),
    Code("E303", "an empty section in an environment", "A section without content has to be left out."),
    Code("E304", "a section of an environment has the wrong shape", "The section has to be a map, or a list."),
    Code("E305", "a wrong mapping in the registry", "A type maps to the name of a type or to a template."),
    Code("E306", "an unknown hook or restriction", "Hooks are pre- and post-create, -update and -delete; "
         "restricted actions are update and replace."),
    Code("E307", "a parameter cannot be merged", "The environments disagree on how to merge a parameter, or its "
         "type cannot be merged that way."),
    Code("E308", "an environment is missing", "The request names an environment that it does not bring along."),
    Code(
        "E401",
        "an unknown resource type",
        "No resource type has this name, and the environment does not map it to one.",
    ),
    Code("E402", "a template used as a type is missing", "The template did not come along, or cannot be fetched."),
    Code("E403", "a reference to an unknown resource", "No resource of this template has that name, or its "
         "condition is false."),
    Code("E404", "a function is written wrongly", "The arguments have the wrong form for this function."),
    Code("E405", "a condition cannot be decided", "A condition is unknown, depends on itself, or is neither true "
         "nor false."),
    Code("E406", "a wrong deletion policy", "Resources are deleted, retained or, if their type can, kept as a "
         "snapshot."),
    Code("E407", "a value cannot be computed", "A function fails with the arguments it gets."),
    Code("E408", "an external resource with dependencies", "A resource with an external_id exists already and "
         "waits for nothing."),
    Code(
        "E409",
        "resources that wait for each other",
        "Each of the resources named refers to the next, so none can be made first. Break the circle, for "
        "instance with a resource of its own for the connection (a port, an attachment, a rule).",
    ),
    Code("E410", "an unknown property", "The resource type has no property of this name."),
    Code("E411", "a property that is not implemented", "The property exists in name only."),
    Code("E412", "a required property is missing", "The resource type cannot do without this property."),
    Code("E413", "an old and a new name together", "Both names mean the same property: give one."),
    Code("E414", "a property of the wrong type", "The value cannot be read as what the property takes."),
    Code("E415", "a property against a constraint", "The value is not one that the property allows."),
    Code("E416", "properties that do not go together", "The resource type has a rule between properties that "
         "this resource breaks."),
    Code("E417", "nested too deeply", "Stacks stand in stacks deeper than the server allows."),
    Code("E418", "an output cannot be computed", "The stack could be made, but this output would be an error."),
    Code("E419", "a template does not fit the type it replaces", "A template that the environment puts in the "
         "place of a type has to take that type's required properties and give its attributes."),
    Code("E420", "a change that is never made", "The resource type cannot be changed in this way: a volume cannot be "
         "made smaller, and some properties stay as they were when the resource was created. Keep the value, or give "
         "the resource another name, so that a new one takes its place."),
    Code("E421", "too many resources", "The stack, with those below it, has more resources than the server allows."),
    Code("E501", "a file is missing", "The template or environment refers to a file that cannot be read."),
    Code("E502", "an address cannot be reached", "The template or environment refers to a URL that does not answer."),
    Code("E503", "a file is too large", "The file is larger than a server would accept."),
    Code("E504", "templates that include each other", "A template uses itself as a type, directly or by others."),
    Code("W101", "a key given twice", "Of a key that stands twice in a map only the last counts."),
    Code("W102", "a number in base 60", "YAML reads digits with colons as a number of hours, minutes and seconds. "
         "Quote it if it is a time, a port mapping or a MAC address."),
    Code("W103", "an unknown key in an output", "The key has no meaning and is ignored."),
    Code("W201", "a flag that is neither true nor false", "`hidden` and `immutable` are booleans."),
    Code("W301", "an unused parameter", "Nothing in the template reads the parameter."),
    Code("W302", "an unused condition", "Nothing in the template depends on the condition."),
    Code("W303", "a deprecated type", "The type still works and will be removed."),
    Code("W304", "a type that is no longer offered", "The type is accepted for the sake of old templates only."),
    Code("W305", "a deprecated property or attribute", "It still works and will be removed."),
    Code("W306", "a secret in an output", "Whoever can see the stack can read its outputs."),
    Code("W307", "a needless dependency", "The resource refers to the other one, which makes it wait already."),
    Code("W308", "a function of a later version", "The version of the template does not know this function and "
         "takes it for plain data."),
    Code("W309", "an unknown output of a template", "The template used as a type has no such output; the value "
         "would be null."),
    Code("W311", "perhaps a misspelt function", "A map with a single key that is nearly the name of a function."),
    Code("W312", "a type that Calor cannot create", "The type is known, so that templates with it can be checked, but "
         "no engine of Calor can create it."),
    Code("W310", "an old name of a type", "The type goes by another name now."),
)  # fmt: skip
