"""What servers fetch from web addresses that their users give: templates and images. Nothing else does."""
