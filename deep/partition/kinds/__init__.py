"""The ways to divide a data set among clients, a file each."""
