"""The intrinsic functions, by what they work on."""
