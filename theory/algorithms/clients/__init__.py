"""Client algorithms, one file each; a file that defines `ENTRY` is found by the registry."""
