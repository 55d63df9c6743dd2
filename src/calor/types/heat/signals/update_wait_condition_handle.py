from calor.types.aws.cloudformation.wait_condition_handle import WaitConditionHandle


class UpdateWaitConditionHandle(WaitConditionHandle):
    """A wait condition handle that every update of the stack replaces.

    Wait conditions for it wait again each time, where AWS::CloudFormation::WaitConditionHandle would still hold
    the signals of the creation.
    """

    type_name = "OS::Heat::UpdateWaitConditionHandle"
    always_replaced = True
