"""Files in and out: walk, drop what cannot hold a site, decode, parse, and write back without losing anything."""
