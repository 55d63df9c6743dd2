from calor.language.constraints import one_of
from calor.language.schema import Property
from calor.resources.contract import ResourceType


class Alarm(ResourceType):
    """Watches a metric of servers and calls URLs when it crosses a threshold.

    A template implements it with an alarm over Gnocchi; the operator can map the type to another one. The
    OS::Aodh types offer more.
    """

    nested_stack = True
    type_name = "AWS::CloudWatch::Alarm"
    template_file = "AWS_CloudWatch_Alarm.yaml"
    properties = {
        "AlarmDescription": Property(str, "A note for people; has no effect.", update_allowed=True),
        "EvaluationPeriods": Property(
            str, "How many periods in a row must meet the condition.", required=True, update_allowed=True
        ),
        "MetricName": Property(
            str, "The metric to watch, by its name in Gnocchi.", required=True, update_allowed=True
        ),
        "Namespace": Property(str, "Has no effect: Gnocchi knows no namespaces.", update_allowed=True),
        "Period": Property(
            str,
            "Seconds over which the statistic is taken. The metric's archive policy must offer this "
            "granularity.",
            required=True,
            update_allowed=True,
        ),
        "ComparisonOperator": Property(
            str,
            "How the statistic and the threshold must compare for the alarm to go off.",
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
            "What to compute from the measures of a period, over all servers that the dimensions select.",
            required=True,
            update_allowed=True,
            constraints=[one_of("SampleCount", "Average", "Sum", "Minimum", "Maximum")],
        ),
        "Threshold": Property(
            str, "The number to compare with, in the unit of the metric.", required=True, update_allowed=True
        ),
        "Units": Property(
            str,
            "Has no effect: the numbers are compared as they are.",
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
        "AlarmActions": Property(
            list,
            "URLs to call when the alarm is triggered, such as references to scaling policies.",
            update_allowed=True,
            converts=True,
        ),
        "OKActions": Property(
            list, "URLs to call when the condition is no longer met.", update_allowed=True, converts=True
        ),
        "InsufficientDataActions": Property(
            list, "URLs to call when there is insufficient data.", update_allowed=True, converts=True
        ),
        "Dimensions": Property(
            list,
            "Which servers count: a list of maps with Name and Value, for example of InstanceId or "
            "AutoScalingGroupName. By default, all of the project do.",
            update_allowed=True,
            converts=True,
        ),
    }
