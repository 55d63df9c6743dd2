from calor.language.constraints import one_of
from calor.language.schema import Property
from calor.types.base import NestedStackType


class Alarm(NestedStackType):
    type_name = "AWS::CloudWatch::Alarm"
    template_file = "AWS_CloudWatch_Alarm.yaml"
    properties = {
        "AlarmDescription": Property(str, update_allowed=True),
        "EvaluationPeriods": Property(str, required=True, update_allowed=True),
        "MetricName": Property(str, required=True, update_allowed=True),
        "Namespace": Property(str, update_allowed=True),
        "Period": Property(str, required=True, update_allowed=True),
        "ComparisonOperator": Property(
            str,
            required=True,
            update_allowed=True,
            constraints=[
                one_of(
                    "GreaterThanOrEqualToThreshold",
                    "GreaterThanThreshold",
                    "LessThanThreshold",
                    "LessThanOrEqualToThreshold",
                )
            ],
        ),
        "Statistic": Property(
            str,
            required=True,
            update_allowed=True,
            constraints=[one_of("SampleCount", "Average", "Sum", "Minimum", "Maximum")],
        ),
        "Threshold": Property(str, required=True, update_allowed=True),
        "Units": Property(
            str,
            update_allowed=True,
            constraints=[
                one_of(
                    "Seconds",
                    "Microseconds",
                    "Milliseconds",
                    "Bytes",
                    "Kilobytes",
                    "Megabytes",
                    "Gigabytes",
                    "Terabytes",
                    "Bits",
                    "Kilobits",
                    "Megabits",
                    "Gigabits",
                    "Terabits",
                    "Percent",
                    "Count",
                    "Bytes/Second",
                    "Kilobytes/Second",
                    "Megabytes/Second",
                    "Gigabytes/Second",
                    "Terabytes/Second",
                    "Bits/Second",
                    "Kilobits/Second",
                    "Megabits/Second",
                    "Gigabits/Second",
                    "Terabits/Second",
                    "Count/Second",
                    "None",
                )
            ],
        ),
        "AlarmActions": Property(list, update_allowed=True, converts=True),
        "OKActions": Property(list, update_allowed=True, converts=True),
        "InsufficientDataActions": Property(list, update_allowed=True, converts=True),
        "Dimensions": Property(list, update_allowed=True, converts=True),
    }
