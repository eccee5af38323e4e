"""What an expression may be: one answer for all rules, followed equally far for each.

Followed are variables (every assignment that may run), parameters (every call of the function, in all files of the
tree), conditional expressions and ``if`` on what is seen to be None, calls (what the user's functions return, with
``functools.partial`` and lambdas), methods of classes that are seen, and imports from file to file; ``names.FARTHEST``
steps at the most.
"""
