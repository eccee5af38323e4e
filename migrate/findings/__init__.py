"""What is found in users' files, and the words for it."""
