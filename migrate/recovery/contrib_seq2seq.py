"""The names that release 1.0 had in this file, for programs that import them from it."""

# ruff: noqa: F401

from .contrib_custom_helpers import (
    CustomHelper,
    InferenceHelper,
    ScheduledEmbeddingTrainingHelper,
)
from .contrib_decoding import (
    BasicDecoder,
    BasicDecoderOutput,
    SequenceDecoder,
    dynamic_decode,
)
from .contrib_decoding_helpers import (
    DecodingHelper,
    GreedyEmbeddingHelper,
    SampleEmbeddingHelper,
    TrainingHelper,
)
from .contrib_sequence_loss import sequence_loss
