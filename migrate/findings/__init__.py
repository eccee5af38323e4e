"""What is found in users' files, and how it is told."""
