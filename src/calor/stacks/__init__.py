"""Parts shared by engine and API: stack definitions, states, events, trees, snapshots and credentials."""
