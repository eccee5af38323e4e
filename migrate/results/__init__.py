"""What a run gives back: the programs as they were judged, and the changes of their files."""
