"""Machinery that runs servers on this machine: namespaces, bridges, nftables; with root or without."""
