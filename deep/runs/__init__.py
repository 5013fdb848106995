"""Whole runs: one, several side by side, in theory's simulator, estimated beforehand, read afterwards."""
