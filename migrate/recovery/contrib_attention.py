"""The names that release 1.0 had in this file, for programs that import them from it."""

# ruff: noqa: F401

from .contrib_attention_mechanisms import (
    AttentionMechanism,
    BahdanauAttention,
    LuongAttention,
)
from .contrib_attention_wrapper import AttentionWrapper, AttentionWrapperState
