"""The CloudFormation-compatible API: signals so far."""
