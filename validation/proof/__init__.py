"""What is true for every instance, by a certificate."""
