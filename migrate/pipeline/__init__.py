"""Files in, findings and changes out."""
