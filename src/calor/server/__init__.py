"""Puts the pieces together: the processes of `calor serve` and what each of them runs."""
