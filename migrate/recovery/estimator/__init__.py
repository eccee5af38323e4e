"""Estimators of a ``model_fn``, and what trains, saves and exports with them."""
