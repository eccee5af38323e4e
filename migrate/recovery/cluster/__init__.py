"""Trains in several processes."""
