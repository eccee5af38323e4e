"""The pipeline: files in, findings and changes out; only ``write`` writes files."""
