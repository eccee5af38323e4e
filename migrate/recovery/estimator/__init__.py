"""The ``Estimator`` and the code by which it trains, saves, evaluates and exports."""
