"""Runs of federated averaging on quadratic clients: what every letter of a statement about a run is, exactly.

`fast_run` carries means and variances about w* for a batch of instances; `exact_run` carries raw moments of one
instance in exact arithmetic. They share no function. `catalogue` has every letter with both of its forms, `options`
which options a run may have, and which letter is exact under which option.
"""
