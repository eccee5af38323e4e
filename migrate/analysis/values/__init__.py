"""What an expression may be.

``Values`` follows an expression to all of its values; unknown ones are part of its results, each with a reason. Rules
that rewrite code ask it. It follows variables (every assignment that a read may see), parameters (every call of the
function in all files of the tree), conditional expressions and ``if`` on a known None, calls (what the user's functions
return, including ``functools.partial`` and lambdas), items, attributes and methods of known objects, and imports; for
at most ``names.MAX_STEPS`` steps.

``Origins`` follows every expression that a value may come from, and ignores what is unknown. That is enough to find a
resumption, and too little to rewrite code. ``path_parts`` says whether two paths may name one file.
"""
