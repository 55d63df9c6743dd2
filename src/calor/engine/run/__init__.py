"""The shared parts of a run: stack, journal, control, rows, and the owner's cloud."""
