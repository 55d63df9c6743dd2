"""The cfn tools: configure a server from the metadata of its resource, keep it so, and report to the stack."""
