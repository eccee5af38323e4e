# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 0050246abb96d19b).
"""The premade estimators and their heads."""
