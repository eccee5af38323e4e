# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 089af173f9e2b59d).
"""The ``Estimator`` and the code by which it trains, saves, evaluates and exports."""
