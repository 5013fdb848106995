"""Commands on claims: check, explain, report, a paper of one's own."""
