"""Findings in users' files, and helpers for their messages."""
