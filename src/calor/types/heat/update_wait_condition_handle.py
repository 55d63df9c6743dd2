from calor.types.aws.cloudformation.wait_condition_handle import WaitConditionHandle


class UpdateWaitConditionHandle(WaitConditionHandle):
    type_name = "OS::Heat::UpdateWaitConditionHandle"
