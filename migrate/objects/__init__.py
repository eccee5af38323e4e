"""The object form: a program whose flow is not followed, in which names change and the calls stay."""
