"""What a check may cost, and the processes that keep to it."""
