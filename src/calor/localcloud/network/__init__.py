"""The network service of the embedded cloud."""
