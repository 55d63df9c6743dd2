"""The image service: the API of Glance, version 2, with the images' data in files."""
