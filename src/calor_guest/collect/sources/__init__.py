"""The sources of metadata: each module is named as its collector and has a class Source."""
