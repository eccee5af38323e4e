# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 8357f76316897809).
"""Trains in several processes."""
