"""What exact arithmetic says of candidates and of the draws that a verdict rests on."""
