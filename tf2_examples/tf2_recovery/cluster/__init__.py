# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 87e4cb12e82a4bb9).
"""Trainings of several processes."""
