"""Clients' problems with certified constants: quadratic, from data, nonconvex."""
