"""What several tools know of heat-config: where its configs are, and the groups that no hook runs."""

CONFIGS_FILE = "/var/run/heat-config/heat-config"
UNGROUPED = "Heat::Ungrouped"
DATA_GROUPS = frozenset({"os-apply-config", UNGROUPED})
"""Their configs are metadata, which os-collect-config collects."""
