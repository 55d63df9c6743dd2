"""One module for each revision. A new one follows the one with the highest number."""
