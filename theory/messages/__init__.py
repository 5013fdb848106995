"""What is sent between server and clients: compressed, coded, logged."""
