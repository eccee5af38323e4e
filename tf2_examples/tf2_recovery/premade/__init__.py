# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 452ac1901aa33fe8).
"""The premade estimators, and their heads."""
