"""The pipeline, which reads files and returns findings and changes; only ``write`` writes files."""
