"""The premade estimators and their heads."""
