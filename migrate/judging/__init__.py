"""Runs the rules over programs and single sites: what is rewritten, what is skipped, and why."""
