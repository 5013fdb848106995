"""The models by name, a file each."""
