"""What runs say of published tables and sentences, with intervals over seeds."""
