"""How plans are made from what is stored, and shown."""
