"""What an expression must be: ``Values`` follows it to all that it may be, or says at which end it is not seen.

A rule that rewrites asks here: an end that leads no further is one of its answers, with the reason, so that nothing is
left out. Followed are variables (every assignment that may hold where they are read), parameters (every call of the
function, in all files of the tree), conditional expressions and ``if`` on what is seen to be None, calls (what the
user's functions return, with ``functools.partial`` and lambdas), items, attributes and methods of objects that are
seen, and imports from file to file; ``names.FARTHEST`` steps at the most.

What an expression may come from, as far as the program's text says, is a question of ``resume/origins``: it passes over
what is not seen, which is enough to find a resumption and too little to rewrite by.
"""
