"""Rules for training in sessions, without an Estimator."""
