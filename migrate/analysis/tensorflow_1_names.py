"""Names of TensorFlow 1 that TensorFlow 2 has with another meaning; a test holds them against TensorFlow."""


def _names(table: str) -> frozenset[str]:
    """The dotted names of a table: a line a module, ``module: name name …``, those at the top first."""
    found, module = set(), ""
    for word in table.split():
        if word.endswith(":"):
            module = word.replace(":", ".").lstrip(".")
        else:
            found.add(module + word)
    return frozenset(found)


OTHER_IN_2 = _names(
    """
    : DeviceSpec Variable VariableAggregation argmax argmin assert_equal assert_greater assert_less assert_rank
        batch_to_space boolean_mask cond constant constant_initializer convert_to_tensor device expand_dims
        gather gather_nd gradients hessians name_scope norm ones_initializer ones_like pad
        random_normal_initializer random_uniform_initializer reduce_all reduce_any reduce_logsumexp reduce_max
        reduce_mean reduce_min reduce_prod reduce_sum reverse_sequence shape size space_to_batch squeeze
        transpose tuple where while_loop zeros_initializer zeros_like
    autograph: to_code to_graph
    data: Dataset FixedLengthRecordDataset Iterator TFRecordDataset TextLineDataset
    data.experimental: Counter CsvDataset RandomDataset SqlDataset
    debugging: assert_all_finite assert_equal assert_greater assert_greater_equal assert_less assert_less_equal
        assert_near assert_negative assert_non_negative assert_non_positive assert_none_equal assert_positive
        assert_rank assert_rank_at_least assert_rank_in assert_scalar
    distribute: MirroredStrategy OneDeviceStrategy ReplicaContext Strategy StrategyExtended
    distribute.experimental: CentralStorageStrategy MultiWorkerMirroredStrategy ParameterServerStrategy
        TPUStrategy
    feature_column: categorical_column_with_vocabulary_file
    image: ResizeMethod crop_and_resize draw_bounding_boxes extract_glimpse resize sample_distorted_bounding_box
    initializers: constant glorot_normal glorot_uniform he_normal he_uniform identity lecun_normal lecun_uniform
        ones orthogonal random_normal random_uniform truncated_normal variance_scaling zeros
    io: decode_csv decode_raw parse_example parse_single_example serialize_many_sparse serialize_sparse
    linalg: norm
    lookup: StaticHashTable StaticVocabularyTable
    losses: Reduction mean_squared_error
    math: argmax argmin bincount confusion_matrix count_nonzero in_top_k log_softmax reduce_all reduce_any
        reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_sum softmax
    metrics: mean_absolute_error mean_squared_error
    nn: avg_pool avg_pool2d batch_norm_with_global_normalization conv1d conv2d conv2d_transpose conv3d
        conv3d_transpose convolution crelu ctc_beam_search_decoder ctc_loss depth_to_space depthwise_conv2d
        dilation2d dropout embedding_lookup embedding_lookup_sparse erosion2d fractional_avg_pool
        fractional_max_pool in_top_k log_softmax max_pool max_pool_with_argmax moments nce_loss pool
        safe_embedding_lookup_sparse sampled_softmax_loss separable_conv2d softmax
        softmax_cross_entropy_with_logits space_to_batch space_to_depth sparse_softmax_cross_entropy_with_logits
        sufficient_statistics weighted_cross_entropy_with_logits weighted_moments
    random: poisson
    saved_model: load
    sparse: add concat reduce_max reduce_sum segment_mean segment_sqrt_n segment_sum split
    strings: length reduce_join split substr to_hash_bucket to_number
    summary: audio histogram image scalar text
    test: assert_equal_graph_def compute_gradient
    train: Checkpoint
    """
)
"""Names that both have, with other arguments, another class or (``where``) another way of broadcasting."""

WIDER_IN_2 = _names(
    """
    : DeviceSpec Variable
    data: Dataset
    distribute: StrategyExtended
    lookup: StaticHashTable StaticVocabularyTable
    """
)
"""Those of them whose class in TensorFlow 1 is derived from the one in TensorFlow 2."""

METHODS_OF_1 = {"make_initializable_iterator", "make_one_shot_iterator"}
"""Methods that a ``tf.data.Dataset`` has in TensorFlow 1 alone."""


def is_in(names: frozenset[str], tail: str) -> bool:
    """Whether a name, or what it is an attribute of (``data.Dataset`` of ``data.Dataset.range``), is among some."""
    parts = tail.split(".")
    return any(".".join(parts[:end]) in names for end in range(1, len(parts) + 1))
