from calor.language.constraints import one_of
from calor.language.schema import SHOW, Attribute, Property
from calor.resources.contract import ResourceType


class DBInstance(ResourceType):
    nested_stack = True
    type_name = "AWS::RDS::DBInstance"
    template_file = "AWS_RDS_DBInstance.yaml"
    properties = {
        "AllocatedStorage": Property(str, required=True, update_allowed=True),
        "DBInstanceClass": Property(str, required=True, update_allowed=True),
        "DBName": Property(str, required=True, update_allowed=True),
        "DBSecurityGroups": Property(list, update_allowed=True, converts=True),
        "Engine": Property(str, required=True, update_allowed=True, constraints=[one_of("MySQL")]),
        "MasterUsername": Property(str, required=True, update_allowed=True),
        "MasterUserPassword": Property(str, required=True, update_allowed=True, secret=True),
        "Port": Property(str, update_allowed=True),
        "KeyName": Property(str, update_allowed=True),
    }
    attributes = {
        "Endpoint.Address": Attribute(),
        "Endpoint.Port": Attribute(),
        "show": SHOW,
    }
