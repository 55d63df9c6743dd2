"""`calor stack …`: a module for each family of commands."""
