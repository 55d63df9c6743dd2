"""The CloudFormation-compatible API, which has only signals."""
