"""The database: tables, queries and the batching writer."""
