"""What was found, decided exactly, and the words that it earns."""
