from calor.language.schema import Property, ResourceType


class User(ResourceType):
    type_name = "AWS::IAM::User"
    owns_user = True
    properties = {
        "Path": Property(str),
        "Groups": Property(list),
        "LoginProfile": Property(
            dict,
            fields={
                "Password": Property(str),
            },
        ),
        "Policies": Property(list),
    }
