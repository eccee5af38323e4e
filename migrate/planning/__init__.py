"""The plan of a code base: a row for each program, made from what the pipeline found."""
