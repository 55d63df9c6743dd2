"""The processes of a Calor server, and what each of them runs."""
