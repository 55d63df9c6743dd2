"""The codes of diagnostics, with explanations."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of diagnostic, as `calor template explain` shows it."""

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
    Code("E102", "the file is not text", "Templates are UTF-8 text. The file has bytes that are not valid UTF-8."),
    Code(
        "E103",
        "the text is not a mapping",
        "The top level of a template or environment is a mapping of sections; this one is a list or a single value.",
    ),
    Code(
        "E104",
        "nested too deeply",
        "Maps and lists are nested deeper than any template needs. The limit protects against hostile input.",
    ),
    Code("E105", "more than one document", "A file contains a single template. Remove the `---` in the middle."),
    Code("E106", "the text is too large", "The file is larger than a server would accept."),
    Code(
        "E107",
        "an invalid alias",
        "An alias (`*name`) refers to an anchor that is not defined before it, contains itself, or would expand "
        "to far more text than was written. A value that starts with `*` has to be quoted.",
    ),
    Code(
        "E108",
        "an invalid key or merge",
        "There is a map or list where a key is expected (often `{{ name }}` from another tool that was left "
        "unquoted), or `<<` merges something that is not a map.",
    ),
    Code(
        "E109",
        "an invalid value",
        "The value has a tag or a form that is not part of the language. The short forms of functions from "
        "CloudFormation (`!Ref name`) have to be written as maps (`Ref: name`).",
    ),
    Code(
        "E110",
        "an invalid or missing version",
        "Every template declares the version of the language that it is written in. The version determines which "
        "sections and functions exist.",
        "heat_template_version: 2021-04-16",
    ),
    Code("E111", "an unknown section", "The version of the template has no section of this name."),
    Code("E112", "a section of the wrong type", "The section must be a map of names."),
    Code(
        "E113",
        "an invalid resource",
        "A resource is a map, and its name is a string without slashes, of at most 255 characters.",
    ),
    Code("E114", "an invalid key in a resource", "Resources do not have this key, or its value is of the wrong type."),
    Code("E115", "a resource without a type", "The type must be a string, not a function."),
    Code("E116", "a duplicate name", "A parameter and a resource have the same name."),
    Code(
        "E117",
        "an invalid parameter group",
        "A group lists parameters of the template. Each parameter is in at most one group.",
    ),
    Code("E118", "an invalid output", "An output is a map with a value, and optionally a description and a condition."),
    Code("E201", "an invalid parameter", "The declaration of a parameter is a map with at least a type."),
    Code("E202", "an unknown key in a parameter", "Declarations of parameters do not have this key."),
    Code(
        "E203",
        "an invalid parameter type",
        "Parameters are of type string, number, json, comma_delimited_list or boolean.",
    ),
    Code(
        "E204",
        "an invalid constraint",
        "The constraint does not exist, does not apply to the type of the parameter, or is malformed.",
        "constraints:\n  - range: {min: 1, max: 10}\n    description: one to ten",
    ),
    Code("E205", "a default violates its constraint", "The default violates a constraint of the parameter itself."),
    Code("E206", "a reserved parameter", "Pseudo parameters exist in every template and cannot be declared."),
    Code("E207", "an unknown parameter", "The command line or an environment gives a value for a "
         "parameter that the template does not declare. Only `parameter_defaults` may have unknown parameters."),
    Code("E208", "a parameter has no value", "The parameter has neither a value nor a default."),
    Code("E209", "a value of the wrong type", "The value of a parameter cannot be converted to its type."),
    Code("E210", "a value violates a constraint", "The value of a parameter violates one of its constraints."),
    Code("E301", "an environment is not a map", "An environment is a map of sections."),
    Code("E302", "an unknown section in an environment", "Environments have parameters, parameter_defaults, "
         "resource_registry, event_sinks, encrypted_param_names and parameter_merge_strategies."),
    Code("E303", "an empty section in an environment", "Give the section a value, or leave it out."),
    Code("E304", "a section of an environment is of the wrong type",
         "The section must be a map or a list, depending on its name."),
    Code("E305", "an invalid mapping in the resource registry",
         "A type maps to the name of another type or to a template."),
    Code("E306", "an unknown hook or restriction", "Hooks are pre- and post-create, -update and -delete; "
         "restricted actions are update and replace."),
    Code("E307", "a parameter cannot be merged", "The environments disagree on how to merge a parameter, or its "
         "type cannot be merged that way."),
    Code("E308", "an environment is missing", "The request lists an environment that is not among its files."),
    Code(
        "E401",
        "an unknown resource type",
        "There is no resource type of this name, and the environment does not map it to one.",
    ),
    Code("E402", "a template used as a type is missing", "The template is not among the files of the request, or "
         "cannot be fetched."),
    Code("E403", "a reference to a missing resource", "The template has no resource of this name, or its "
         "condition is false."),
    Code("E404", "an invalid function call", "The arguments are not what the function expects."),
    Code("E405", "a condition cannot be evaluated", "A condition is unknown, depends on itself, or is neither true "
         "nor false."),
    Code("E406", "an invalid deletion policy", "Resources are deleted, retained or, if their type supports it, "
         "kept as a snapshot."),
    Code("E407", "a value cannot be computed", "A function failed for these arguments."),
    Code("E408", "an external resource with dependencies", "A resource with an external_id exists already and "
         "cannot depend on others."),
    Code(
        "E409",
        "a circular dependency",
        "Each of the resources depends on the next one, so none can be created first. Break the cycle, for instance "
        "with a separate resource for the connection (a port, an attachment, a rule).",
    ),
    Code("E410", "an unknown property", "The resource type does not have this property."),
    Code("E411", "a property that is not implemented", "The property is declared, but has no effect."),
    Code("E412", "a required property is missing", "The resource type requires this property."),
    Code("E413", "an old and a new name together", "Both are names of the same property. Use only one."),
    Code("E414", "a property of the wrong type", "The value cannot be converted to the type of the property."),
    Code("E415", "a property violates a constraint", "The property does not allow this value."),
    Code("E416", "conflicting properties", "The resource violates a rule of its type about combinations of "
         "properties."),
    Code("E417", "nested too deeply", "Stacks are nested deeper than the server allows."),
    Code("E418", "an output cannot be computed",
         "The stack can be created, but reading this output would be an error."),
    Code("E419", "a template cannot replace a type", "A template that the environment maps a type to must have "
         "parameters for the required properties of that type and outputs for its attributes."),
    Code("E420", "an impossible change", "The resource type cannot be changed in this way: a volume cannot be "
         "made smaller, and some properties stay as they were when the resource was created. Keep the value, or give "
         "the resource another name, so that a new one is created."),
    Code("E421", "too many resources", "The stack, with its nested stacks, has more resources than the server allows."),
    Code("E422", "a type that cannot be used", "The resource type exists, but the policy denies it, its "
         "service is not in the catalog, or this version of Calor cannot create it."),
    Code("E501", "a file is missing", "The template or environment refers to a file that cannot be read."),
    Code("E502", "an address cannot be reached", "The template or environment refers to a URL that does not answer."),
    Code("E503", "a file is too large", "The file is larger than a server would accept."),
    Code("E504", "templates that include each other",
         "A template uses itself as a type, directly or through other templates."),
    Code("W101", "a duplicate key", "If a key occurs twice in a map, only the last value is used."),
    Code("W102", "a number in base 60", "YAML 1.1 reads digits with colons as a base-60 number, for times. "
         "Quote it if it is a time, a port mapping or a MAC address."),
    Code("W103", "an unknown key in an output", "The key has no meaning and is ignored."),
    Code("W201", "an invalid flag", "`hidden` and `immutable` are booleans."),
    Code("W301", "an unused parameter", "Nothing in the template reads the parameter."),
    Code("W302", "an unused condition", "Nothing in the template depends on the condition."),
    Code("W303", "a deprecated type", "The type still works, but will be removed."),
    Code("W304", "an obsolete type", "The type is accepted only for compatibility with old templates."),
    Code("W305", "a deprecated property or attribute", "It still works, but will be removed."),
    Code("W306", "a secret in an output", "Everyone who can see the stack can read its outputs."),
    Code("W307", "a redundant dependency", "The resource already depends on the other one, because it refers to it."),
    Code("W308", "a function of a later version", "The function does not exist in the version of the template "
         "and is treated as plain data."),
    Code("W309", "an unknown output of a template", "The template used as a type has no such output; the value "
         "would be null."),
    Code("W311", "a misspelled function", "The map has a single key that is similar to the name of a function."),
    Code("W312", "an unsupported type", "The type is known, so that templates with it can be checked, but "
         "Calor cannot create it."),
    Code("W310", "an old name of a type", "The type has a new name."),
)  # fmt: skip
