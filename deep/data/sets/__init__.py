"""The data sets, a file each, and the formats they are kept in."""
