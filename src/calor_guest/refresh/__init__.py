"""os-refresh-config: runs the programs that bring a server to the state that its metadata describes."""
