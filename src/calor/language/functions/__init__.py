"""The intrinsic functions."""
