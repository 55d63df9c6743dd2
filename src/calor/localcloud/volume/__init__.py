"""The volume service: the API of Cinder, version 3, with volumes as files that take room only where written to."""
