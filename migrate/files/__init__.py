"""Finds, filters, decodes and parses files, and writes them back without losing anything."""
