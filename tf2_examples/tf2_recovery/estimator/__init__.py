# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 4f293ce448d12e46).
"""Estimators of a ``model_fn``, and what trains, saves and exports with them."""
