"""Training by sessions, without an Estimator."""
