"""The local steps of one round for all clients at once, step by step or in eigenbases."""
