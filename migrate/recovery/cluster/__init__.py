"""Trainings of several processes."""
