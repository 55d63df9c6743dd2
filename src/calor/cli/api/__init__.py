"""A client of the orchestration API: which cloud, who one is there, requests, and what went wrong with them."""
