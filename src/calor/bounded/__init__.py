"""Evaluates what users write as code, regular expressions and YAQL, within limits of time and memory."""
