"""The plan of a migration: a row for each program, made from the findings of the pipeline."""
