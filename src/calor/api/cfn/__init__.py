"""The CloudFormation-compatible API: AWS's actions on stacks, and signals by pre-signed URLs."""
