from calor.language.schema import hidden
from calor.resources.contract import ResourceType
from calor.types.aws.cloudwatch.alarm import Alarm


class CWLiteAlarm(ResourceType):
    """An alarm evaluated here, every period, on the data that PutMetricData brings."""

    type_name = "OS::Heat::CWLiteAlarm"
    support = hidden()
    properties = Alarm.properties
