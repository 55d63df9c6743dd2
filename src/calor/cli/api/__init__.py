"""The client of the orchestration API: selection of the cloud, authentication, requests and errors."""
