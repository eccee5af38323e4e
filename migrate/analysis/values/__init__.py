"""All values that an expression may have: ``Values`` follows it, and gives a reason where it cannot follow further.

Rules that rewrite code use this package: unknown values are part of its results, each with a reason. It follows
variables (every assignment that a read may see), parameters (every call of the function in all files of the tree),
conditional expressions and ``if`` on a known None, calls (what the user's functions return, including
``functools.partial`` and lambdas), items, attributes and methods of known objects, and imports; for at most
``names.MAX_STEPS`` steps.

``resume/origins`` also follows expressions, but ignores unknown values. That is enough to find a resumption, and too
little to rewrite code.
"""
