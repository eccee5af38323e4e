"""More of ``tests.contrib_cases``: the names of ``tf.contrib`` that are one call each."""

import contextlib
import os
import sqlite3
import tempfile

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from tests.contrib_cases import evaluated, evaluated_together

IMAGES = np.sin(np.arange(2 * 6 * 6 * 3)).reshape(2, 6, 6, 3).astype(np.float32)
ROWS = np.cos(np.arange(12)).reshape(4, 3).astype(np.float32)


def layers(of):
    made = of("layers")

    cases = []

    def of_layer(name, given, *args, **more):
        def make():
            y = getattr(made, name)(tf.constant(given), *args, **more)
            return {"y": y, "loss": tf.reduce_sum(tf.square(y))}

        cases.append((f"{name}_{len(cases)}", make))

    of_layer("conv2d", IMAGES, 2, 3, scope="c")
    of_layer("conv2d", IMAGES, 2, [3, 3], stride=2, padding="VALID", activation_fn=None)
    of_layer("convolution2d", IMAGES, 2, 3)
    of_layer("separable_conv2d", IMAGES, 2, 3, depth_multiplier=1)
    of_layer("conv2d_transpose", IMAGES, 2, 3, 2)
    of_layer("max_pool2d", IMAGES, 2)
    of_layer("avg_pool2d", IMAGES, [2, 2], stride=1, padding="SAME")
    of_layer("instance_norm", IMAGES)
    of_layer("group_norm", IMAGES, groups=3)
    of_layer("conv3d", IMAGES[..., None], 1, 3)
    of_layer("max_pool3d", IMAGES[..., None], 2)
    of_layer("avg_pool3d", IMAGES[..., None], 2)
    of_layer("dropout", ROWS, is_training=False)
    of_layer("dropout", ROWS, 0.5, seed=3)
    of_layer("softmax", ROWS)
    of_layer("flatten", IMAGES)
    of_layer("flatten", IMAGES, scope="f")
    of_layer("fully_connected", ROWS, 2)
    of_layer("fully_connected", ROWS, 2, activation_fn=None, scope="out", outputs_collections="o")
    of_layer("bias_add", ROWS)
    of_layer("layer_norm", ROWS)
    of_layer("layer_norm", ROWS, True, scope="n")
    of_layer("batch_norm", ROWS, 0.9, scale=True, is_training=True, updates_collections=None)
    of_layer("batch_norm", IMAGES, is_training=True, fused=True, scope="b", updates_collections=None)
    of_layer("batch_norm", ROWS, is_training=False)
    of_layer("stack", ROWS, of.raw("layers", "fully_connected"), [3, 2], scope="s")
    of_layer("repeat", ROWS, 2, of.raw("layers", "fully_connected"), 3)

    yield "layers", evaluated_together(cases)

    def others():
        first = made.xavier_initializer(seed=3)
        second = made.xavier_initializer(False, seed=3)
        third = made.xavier_initializer_conv2d(seed=3)
        fourth = made.variance_scaling_initializer(seed=3)
        w = tf1.get_variable("w", [4, 3], initializer=first, regularizer=made.l2_regularizer(0.1))
        v = tf1.get_variable("v", [4, 3], initializer=second, regularizer=made.l1_regularizer(0.2))
        tf1.get_variable("u", [2, 2, 4, 3], initializer=third)
        tf1.get_variable("t", [4, 3], initializer=fourth)
        labels = made.one_hot_encoding(tf.constant([1, 0]), 3)
        losses = tf1.losses.get_regularization_losses()
        total = made.apply_regularization(made.l2_regularizer(0.3), [w, v])
        return {"labels": labels, "losses": losses, "total": total, "loss": tf.add_n(losses) + total}

    yield "initializers and regularizers", evaluated(others)

    def summed():
        named = of("layers.python.layers.utils")
        named.collect_named_outputs("ends", "y", tf.constant(1.0))
        (end,) = tf1.get_collection("ends")
        return {"end": end, "names": tf.constant(len(named.get_variable_collections(["a"], "weights")))}

    yield "outputs by name", evaluated(summed)


def slim_networks(of):
    """A network under an ``arg_scope``, and the losses and variables that slim keeps."""
    scope, conv, norm, connected = (
        of.raw("slim", name) for name in ("arg_scope", "conv2d", "batch_norm", "fully_connected")
    )
    pool, flatten, l2, dropout = (
        of.raw("slim", name) for name in ("max_pool2d", "flatten", "l2_regularizer", "dropout")
    )

    def make():
        with scope([conv, connected], weights_regularizer=l2(0.01), normalizer_fn=norm):
            y = conv(tf.constant(IMAGES), 2, 3, scope="first")
            with scope([norm], is_training=True, updates_collections=None, decay=0.9):
                y = connected(dropout(flatten(pool(y, 2)), is_training=False), 3)
        slim_losses = of("slim.losses")
        loss = slim_losses.softmax_cross_entropy(y, tf.one_hot([0, 1], 3))
        found = {"y": y, "loss": loss, "total": slim_losses.get_total_loss()}
        found["number"] = tf.constant(len(slim_losses.get_losses()) + len(slim_losses.get_regularization_losses()))
        framework = of("framework")
        for name in ("get_variables", "get_model_variables", "get_variables_to_restore", "get_trainable_variables"):
            found[name] = tf.constant([one.op.name for one in getattr(framework, name)()])
        found["by name"] = tf.constant([one.op.name for one in framework.get_variables_by_name("weights")])
        return {key: value for key, value in found.items() if value.dtype != tf.string}

    yield "slim: network", evaluated(make, loads=True)

    def own():
        framework = of("framework")
        layer = of.raw("framework", "add_arg_scope")(lambda x, factor=1.0: x * factor)
        with of.raw("framework", "arg_scope")([layer], factor=3.0):
            y = layer(framework.model_variable("w", [2], initializer=tf1.ones_initializer()))
        y += framework.variable("v", [2], initializer=tf1.ones_initializer())
        return {"y": y, "loss": tf.reduce_sum(tf.square(y))}

    yield "slim: functions of one's own", evaluated(own)

    def trained():
        step = tf1.train.get_or_create_global_step()
        w = tf1.get_variable("w", [2])
        loss = tf.reduce_sum(tf.square(w - 1.0))
        optimizer = tf1.train.GradientDescentOptimizer(0.1)
        train = of("slim.learning").create_train_op(loss, optimizer)
        with tf.control_dependencies([train]):  # side by side, the step is read before or after it is counted
            return {"train": train, "step": tf.identity(step)}

    yield "slim: train_op", evaluated(trained, steps=2)


def training_operations(of):
    def optimized(**more):
        def make():
            tf1.train.create_global_step()
            w = tf1.get_variable("w", [3])
            loss = tf.reduce_sum(tf.square(w - 1.0))
            step = tf1.train.get_global_step()
            return {"train": of("layers").optimize_loss(loss, step, 0.1, **more)}

        return evaluated(make, steps=3)

    yield "optimize_loss", optimized(optimizer="Adam", clip_gradients=0.5)
    yield "optimize_loss of slim", optimized(optimizer="SGD", gradient_multipliers={"w": 0.5})

    def steps():
        framework = of("framework")
        made = framework.create_global_step()
        framework.assert_global_step(made)
        same = framework.get_or_create_global_step() is framework.get_global_step() is made
        return {"step": made, "same": tf.constant(same)}

    yield "global step", evaluated(steps)


def metrics(of):
    made = of("metrics")
    labels, truth = np.array([1, 0, 1, 1, 0, 1], np.float32), np.array([0.9, 0.2, 0.4, 0.7, 0.6, 0.1], np.float32)
    weights = np.array([1, 2, 1, 0, 1, 1], np.float32)

    cases = []

    def each(name, given, *more, **options):
        def make():
            value, update = getattr(made, name)(*[tf.constant(one) for one in given], *more, **options)
            return {"value": value, "update": update}

        cases.append((f"{name}_{len(cases)}", make))

    sides = [(truth > 0.5).astype(np.float32), labels]
    for name in (
        "accuracy",
        "false_negatives",
        "false_positives",
        "mean_absolute_error",
        "mean_squared_error",
        "precision",
        "recall",
        "root_mean_squared_error",
        "true_negatives",
        "true_positives",
    ):
        each(f"streaming_{name}", sides)
        each(f"streaming_{name}", sides, weights=weights)
    each("streaming_auc", [truth, labels])
    each("streaming_precision_at_thresholds", [truth, labels > 0], [0.3, 0.5])
    each("streaming_recall_at_thresholds", [truth, labels > 0], [0.3, 0.5], weights)
    each("streaming_mean", [truth])
    each("streaming_mean_tensor", [truth], weights)
    each("f1_score", [labels > 0, truth], num_thresholds=50)
    yield "metrics", evaluated_together(cases)


def sequences_of_tags(of):
    crf = of("crf")
    scores = np.sin(np.arange(24)).reshape(2, 4, 3).astype(np.float32)

    def make():
        lengths, tags = tf.constant([4, 2]), tf.constant([[0, 1, 2, 0], [1, 1, 0, 0]])
        likelihood, transitions = crf.crf_log_likelihood(tf.constant(scores), tags, lengths)
        best, score = crf.crf_decode(tf.constant(scores), transitions, lengths)
        return {"loss": tf.reduce_sum(-likelihood), "likelihood": likelihood, "best": best, "score": score}

    yield "crf", evaluated(make)
    yield "viterbi_decode", list(crf.viterbi_decode(scores[0], np.cos(np.arange(9)).reshape(3, 3)))


def fetched_files(of):
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "source")
        with open(source, "w") as file:
            file.write("words")
        fetched = [of("learn.datasets.base").maybe_download("a", folder + "/new", "file://" + source) for _ in range(2)]
        with open(fetched[1]) as file:
            yield "a file that is fetched", [os.path.basename(fetched[0]), file.read()]


def tables(of):
    lookup = of("lookup")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "words.txt")
        with open(path, "w") as file:
            file.write("emerson\nlake\npalmer\n")
        words, ids = ["lake", "palmer", "and", "others"], np.array([0, 2, 3, -1])

        def make():
            known = words[:2]
            keys = tf1.lookup.KeyValueTensorInitializer(known, [3, 5], tf.string, tf.int64)
            by_id = [lookup.index_to_string_table_from_file(path, default_value="?")]
            by_id.append(lookup.index_to_string_table_from_tensor(known))
            by_word = [
                lookup.index_table_from_file(path, num_oov_buckets=2),
                lookup.index_table_from_file(vocabulary_file=path, vocab_size=2, default_value=7),
                lookup.index_table_from_tensor(known, default_value=4),
                lookup.HashTable(keys, -1),
            ]
            by_word.append(lookup.MutableHashTable(tf.string, tf.int64, -1))
            found = {f"word {n}": tf1.strings.length(one.lookup(tf.constant(ids))) for n, one in enumerate(by_id)}
            found.update({f"id {n}": one.lookup(tf.constant(words)) for n, one in enumerate(by_word)})
            return found

        yield "tables", evaluated(make)


def datasets(of):
    data = of("data")

    def elements(cases):
        """The elements of each dataset, by name."""
        with tf.Graph().as_default(), tf1.Session() as session:
            iterators = {name: tf1.data.make_initializable_iterator(make()) for name, make in cases}
            following = {name: iterator.get_next() for name, iterator in iterators.items()}
            session.run([iterator.initializer for iterator in iterators.values()])
            return {name: list(values(session, one)) for name, one in following.items()}

    def values(session, following):
        try:
            while True:
                value = session.run(following)
                if isinstance(value, tf1.SparseTensorValue):
                    value = [value.indices, value.values, value.dense_shape]
                elif isinstance(value, dict):
                    value = [value[key] for key in sorted(value)]
                is_one = not isinstance(value, (list, tuple))
                yield [np.asarray(one).tolist() for one in ([value] if is_one else value)]
        except tf.errors.OutOfRangeError:
            return

    def numbers(count=7):
        return tf1.data.Dataset.range(count)

    def ragged():
        return numbers(5).map(lambda n: tf.fill([n], n))

    def windows(key, window):
        return window.batch(4)

    yield "data", elements((
        ("batch_and_drop_remainder", lambda: numbers().apply(data.batch_and_drop_remainder(3))),
        ("padded_batch_and_drop_remainder", lambda: ragged().apply(data.padded_batch_and_drop_remainder(2, [None]))),
        ("Counter", lambda: data.Counter(2, 3).take(3)),
        ("RandomDataset", lambda: data.RandomDataset(seed=3).take(3)),
        ("bucket_by_sequence_length", lambda: ragged().apply(data.bucket_by_sequence_length(tf.size, [3], [2, 2]))),
        ("choose_from_datasets", lambda: data.choose_from_datasets(
            [numbers(2), numbers(3)], numbers(4).map(lambda n: n % 2))),
        ("prefetch_to_device", lambda: numbers(3).apply(data.prefetch_to_device("/cpu:0"))),
        ("copy_to_device", lambda: numbers(2).apply(data.copy_to_device("/cpu:0"))),
        ("dense_to_sparse_batch", lambda: ragged().apply(data.dense_to_sparse_batch(2, [6]))),
        ("enumerate_dataset", lambda: numbers(3).apply(data.enumerate_dataset(5))),
        ("get_single_element", lambda: tf1.data.Dataset.from_tensors(data.get_single_element(numbers(1)))),
        ("group_by_reducer", lambda: numbers().apply(data.group_by_reducer(
            lambda n: n % 2, data.Reducer(lambda key: np.int64(0), lambda total, n: total + n, lambda total: total)))),
        ("group_by_window", lambda: numbers().apply(data.group_by_window(lambda n: n % 2, windows, 2))),
        ("ignore_errors", lambda: numbers(3).map(lambda n: tf1.debugging.check_numerics(
            1.0 / tf.cast(n, tf.float32), "")).apply(data.ignore_errors())),
        ("map_and_batch", lambda: numbers().apply(data.map_and_batch(lambda n: n * 2, 3, drop_remainder=True))),
        ("parallel_interleave", lambda: numbers(3).apply(data.parallel_interleave(
            lambda n: tf1.data.Dataset.from_tensors(n).repeat(2), cycle_length=2, block_length=1))),
        ("rejection_resample", lambda: numbers().repeat(3).apply(data.rejection_resample(
            lambda n: tf.cast(n % 2, tf.int32), [0.5, 0.5], [0.5, 0.5], seed=3)).take(4).map(lambda kind, n: n >= 0)),
        ("sample_from_datasets", lambda: data.sample_from_datasets([numbers(3), numbers(2)], [0.5, 0.5], seed=3)),
        ("scan", lambda: numbers(4).apply(data.scan(np.int64(0), lambda total, n: (total + n, total + n)))),
        ("shuffle_and_repeat", lambda: numbers(4).apply(data.shuffle_and_repeat(4, 2)).batch(4).map(tf.sort)),
        ("unbatch", lambda: numbers().batch(3).apply(data.unbatch())),
        ("unique", lambda: numbers().map(lambda n: n % 3).apply(data.unique())),
    ))  # fmt: skip

    with tempfile.TemporaryDirectory() as folder:
        table, records = os.path.join(folder, "t.csv"), os.path.join(folder, "r.tfrecord")
        with open(table, "w") as file:
            file.write("a,b\n1,2.5\n3,4.5\n")
        with tf.Graph().as_default(), tf1.Session() as session:
            examples = []
            for value in (1, 2):
                feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))
                example = tf.train.Example(features=tf.train.Features(feature={"a": feature}))
                examples.append(example.SerializeToString())
            session.run(data.TFRecordWriter(records).write(tf1.data.Dataset.from_tensor_slices(examples)))
        spec = {"a": tf1.io.FixedLenFeature([], tf.int64)}
        database = os.path.join(folder, "t.sqlite")
        with contextlib.closing(sqlite3.connect(database)) as connection, connection:
            connection.execute("CREATE TABLE t (word TEXT, number INTEGER)")
            connection.executemany("INSERT INTO t VALUES (?, ?)", [("one", 1), ("two", 2)])
        query = "SELECT word, number FROM t ORDER BY number"
        yield "data: files", elements((
            ("sql", lambda: data.SqlDataset("sqlite", database, query, (tf.string, tf.int64)).map(
                lambda word, number: (tf1.string_to_hash_bucket_fast(word, 100), number))),
            ("csv", lambda: data.CsvDataset(table, [tf.int64, tf.float32], header=True)),
            ("columns", lambda: data.make_csv_dataset(table, 2, num_epochs=1, shuffle=False)),
            ("parsed", lambda: tf1.data.TFRecordDataset(records).batch(2).apply(data.parse_example_dataset(spec))),
            ("batched", lambda: data.make_batched_features_dataset(records, 2, spec, num_epochs=1, shuffle=False)),
        ))  # fmt: skip


def settings(of):
    """Hyperparameters, checkpoints and devices."""
    params = of("training").HParams(rate=0.1, sizes=[1, 2], name="n", deep=True)
    params.parse("rate=0.5,sizes=[3,4],deep=false")
    params.add_hparam("more", 3)
    params.override_from_dict({"name": "other"})
    yield "HParams", [params.values(), params.to_json(sort_keys=True), "rate" in params, params.get("no", 7)]
    framework = of("framework")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.ckpt")
        with tf.Graph().as_default(), tf1.Session() as session:
            tf1.get_variable("w", initializer=[1.0, 2.0])
            session.run(tf1.global_variables_initializer())
            tf1.train.Saver().save(session, path, 3)
        found = [list(one) for one in framework.list_variables(folder)]
        found.append(framework.load_variable(folder, "w"))
        found.append(framework.load_checkpoint(folder).get_tensor("w"))
        found += [os.path.basename(one) for one in of("training").checkpoints_iterator(folder, timeout=0)]
    yield "checkpoints", found


def classes_to_derive_from(of):
    decoder, helper = of.raw("seq2seq", "Decoder"), of.raw("seq2seq", "Helper")
    shape, size = tf1.TensorShape([]), property(lambda self: tf.constant(2))

    class Reads(helper):
        batch_size, sample_ids_shape, sample_ids_dtype = size, shape, tf.int32

        def initialize(self, name=None):
            return tf.fill([2], False), tf.ones([2, 3])

        def sample(self, time, outputs, state, name=None):
            return tf.fill([2], time)

        def next_inputs(self, time, outputs, state, sample_ids, name=None):
            return tf.fill([2], time >= 2), outputs * 2.0, state

    class Counts(decoder):
        batch_size, output_size, output_dtype = size, shape, tf.int32

        def initialize(self, name=None):
            return tf.constant([False, True]), tf.zeros([2]), tf.constant(0)

        def step(self, time, inputs, state, name=None):
            return tf.fill([2], state + 5), state + 2, inputs, tf.fill([2], time >= 2)

        def finalize(self, outputs, final_state, sequence_lengths):
            return outputs + 1, final_state

    def make():
        dynamic_decode = of("seq2seq").dynamic_decode
        cell = tf1.nn.rnn_cell.BasicRNNCell(3)
        made = of("seq2seq").BasicDecoder(cell, Reads(), cell.zero_state(2, tf.float32))
        outputs, state, lengths = dynamic_decode(made)
        counted, number, ends = dynamic_decode(Counts(), impute_finished=True)
        read = {"outputs": outputs.rnn_output, "ids": outputs.sample_id, "state": state, "lengths": lengths}
        return dict(read, counted=counted, number=number, ends=ends)

    yield "derived from seq2seq", evaluated(make)
    outputs = ("BasicDecoderOutput", "BeamSearchDecoderOutput", "BeamSearchDecoderState")
    tuples = (*outputs, "FinalBeamSearchDecoderOutput", "AttentionWrapperState")
    yield "fields of seq2seq", [sorted(of.raw("seq2seq", name)._fields) for name in tuples]
    attention = of.raw("seq2seq", "AttentionMechanism")
    yield "mechanisms", [issubclass(of.raw("seq2seq", f"{name}Attention"), attention) for name in ("Luong", "Bahdanau")]


def values(of):
    yield "constants", of.raw("data", "AUTOTUNE")
    devices = [name.lower() for name in of("eager").list_devices()]
    yield "devices", [name for name in devices if "device:cpu" in name]
    config = of("learn").RunConfig(model_dir="/tmp/none", save_checkpoints_steps=7, keep_checkpoint_max=2)
    asked = ("save_checkpoints_steps", "save_checkpoints_secs", "keep_checkpoint_max", "save_summary_steps")
    asked += ("keep_checkpoint_every_n_hours", "tf_random_seed", "model_dir", "log_step_count_steps", "is_chief")
    yield "RunConfig", [str(getattr(config, name)) for name in asked]


def predictions(of):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "saved")
        with tf.Graph().as_default(), tf1.Session() as session:
            x = tf1.placeholder(tf.float32, [None, 2])
            y = x * tf1.get_variable("w", initializer=[2.0, 3.0])
            session.run(tf1.global_variables_initializer())
            tf1.saved_model.simple_save(session, path, {"x": x}, {"y": y})
        predict = of("predictor").from_saved_model(path)
        yield "predictor", predict({"x": np.ones([1, 2], np.float32)})["y"]


def strategies(of):
    with tf.Graph().as_default():
        operations = of("distribute").AllReduceCrossDeviceOps("hierarchical_copy", num_packs=2)
        strategy = tf.distribute.MirroredStrategy(["/cpu:0"], operations)
        with strategy.scope(), tf1.Session() as session:
            total = strategy.reduce(tf.distribute.ReduceOp.SUM, tf.constant([1.0, 2.0]), axis=None)
            yield "AllReduceCrossDeviceOps", session.run(total)


SMALL_CASES = (
    layers,
    slim_networks,
    training_operations,
    metrics,
    sequences_of_tags,
    fetched_files,
    tables,
    datasets,
    settings,
    classes_to_derive_from,
    values,
    predictions,
    strategies,
)
