"""The main loop of an engine process: work, leases, retries and hangs."""
