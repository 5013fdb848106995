"""Installed papers and their claims, found and looked up."""
