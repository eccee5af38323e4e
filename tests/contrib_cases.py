"""What is computed with names of ``tf.contrib``, by TensorFlow 1.15 and by what stands for them.

Each case yields names and results: outputs, gradients and the names of variables. ``of`` takes a module of contrib and
returns an object that has its functions; ``of.core`` has the Estimator's classes. It runs on Python 3.7 too, which
TensorFlow 1.15 needs.
"""

import functools
import json
import os
import tempfile

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1


def evaluated(make, steps=0, loads=False):
    """The tensors that ``make()`` returns, by name, and all variables, which begin as numbers that their shapes tell.

    Args:
      make: returns a dict of tensors; where it has ``loss``, its gradients by the variables are added. What has
        ``update`` in its name is evaluated before the others.
      steps: how often the tensors are evaluated before.
      loads: whether variables with an initializer of their own begin as such numbers too.
    """

    def numbers(shape):
        shape = [int(one) for one in shape]
        return np.sin(np.arange(int(np.prod(shape))) + float(len(shape))).reshape(shape) / 2

    def start(shape, dtype=None, partition_info=None, **more):
        return tf.constant(numbers(shape), dtype)

    with tf.Graph().as_default(), tf1.Session() as session:
        tf1.set_random_seed(7)
        with tf1.variable_scope("", initializer=start):
            found = {key: tensor for key, tensor in dict(make()).items() if tensor is not None}
        variables = tf1.global_variables()
        trained = tf1.trainable_variables()
        if "loss" in found and trained:
            gradients = tf.gradients(found["loss"], trained)
            for number, variable in enumerate(trained):
                gradient = gradients[number]
                if gradient is not None:
                    found["gradient of " + variable.op.name] = tf.convert_to_tensor(gradient)
        session.run([tf1.global_variables_initializer(), tf1.local_variables_initializer(), tf1.tables_initializer()])
        for variable in trained if loads else ():
            variable.load(numbers(variable.shape), session)
        for _ in range(steps):
            session.run(found)
        updates = {key: tensor for key, tensor in found.items() if "update" in key}
        values = session.run(updates) if updates else {}
        values.update(session.run({key: tensor for key, tensor in found.items() if key not in updates}))
        return {"values": values, "variables": {v.op.name: session.run(v) for v in variables}}


def evaluated_together(cases):
    """As ``evaluated``, with many functions in one graph, each in a variable scope of its name.

    Args:
      cases: pairs of a name and a function that returns a dict of tensors.
    """

    def make():
        found, losses = {}, []
        for name, case in cases:
            with tf1.variable_scope(name):
                tensors = dict(case())
            losses += [tensors.pop("loss")] if "loss" in tensors else []
            found.update({f"{name}: {key}": tensor for key, tensor in tensors.items()})
        return dict(found, loss=tf.add_n(losses)) if losses else found

    return evaluated(make, loads=True)


def trained(optimizer, sparse, resource, decayed=None):
    """Losses, variables and their names after three steps; some variables may be named for the decay."""
    with tf.Graph().as_default(), tf1.Session() as session:
        start = np.arange(12, dtype=np.float32).reshape(6, 2) / 10
        table = tf1.get_variable("table", initializer=start, use_resource=resource)
        rate = tf1.get_variable("rate", initializer=np.float32(0.5), use_resource=resource)
        rows = tf.gather(table, [0, 2, 2, 5]) if sparse else table
        loss = tf.reduce_sum(tf.square(rows * rate - 1.0))
        made = optimizer()
        gradients = made.compute_gradients(loss)
        chosen = {} if decayed is None else {"decay_var_list": [v for _, v in gradients if v.op.name == decayed]}
        with tf.control_dependencies([loss, *(one for one, _ in gradients)]):  # contrib's decay waits for nothing
            step = made.apply_gradients(gradients, **chosen)
        session.run(tf1.global_variables_initializer())
        losses = [session.run([loss, step])[0] for _ in range(3)]
        variables = {v.op.name: session.run(v) for v in tf1.global_variables()}
        return [losses, variables]


def images(of):
    image = of("image")
    pictures = np.random.RandomState(0).rand(2, 5, 4, 3).astype(np.float32)
    with tf.Graph().as_default(), tf1.Session() as session:
        given = tf.constant(pictures)
        warped = [1.0, 0.1, -0.5, 0.2, 0.9, 0.3, 0.001, 0.002]
        bilinear = image.transform(given, warped, "BILINEAR", output_shape=[4, 4])
        found = {
            "transform": image.transform(given, [warped, warped[::-1]]),
            "bilinear": bilinear,
            "its gradient": tf.gradients(bilinear, given)[0],
        }
        yield "images", session.run(found)


def lookups(of):
    with tf.Graph().as_default(), tf1.Session() as session:
        table = tf.constant(np.arange(10.0, dtype=np.float32).reshape(5, 2))
        ids = tf.sparse.from_dense(tf.constant([[1, 2, 0], [0, 0, 0], [3, 3, -1]], tf.int64))
        layers = of("layers")
        found = [layers.safe_embedding_lookup_sparse(table, ids, combiner="mean", default_id=one) for one in (None, 4)]
        gradient = tf.convert_to_tensor(tf.gradients(found[0], table)[0])
        yield "safe_embedding_lookup_sparse", session.run([*found, gradient])


def experiments(of):
    """What is evaluated and exported, at which step, as an experiment's schedules go on from one another."""
    learn, core, told = of("learn"), of.core, []

    def model_fn(features, labels, mode):
        weight = tf1.get_variable("w", [], initializer=tf1.zeros_initializer())
        loss = tf1.square(weight - tf1.reduce_mean(features))
        step = tf1.train.GradientDescentOptimizer(0.1).minimize(loss, tf1.train.get_global_step())
        return core.EstimatorSpec(mode, loss=loss, train_op=step, predictions=weight)

    def input_fn():
        return tf.data.Dataset.from_tensors([1.0]).repeat()

    def export(estimator, path, checkpoint_path=None, eval_result=None):
        told.append(["exported", os.path.basename(os.fsdecode(path)), eval_result["global_step"]])

    def made(run_config, options):
        estimator = core.Estimator(model_fn, config=run_config)
        evaluate = estimator.evaluate

        def evaluated(*args, **given):
            metrics = evaluate(*args, **given)
            told.append([f"evaluated {given.get('name')}", metrics["global_step"], round(float(metrics["loss"]), 6)])
            return metrics

        estimator.evaluate = evaluated
        strategies = learn.ExportStrategy("s", export)
        given = {"eval_steps": 2, "check_interval_secs": 0, "export_strategies": strategies, **options}
        return learn.Experiment(estimator, input_fn, input_fn, **given)

    with tempfile.TemporaryDirectory() as directory:
        for schedule, options in (
            ("train_and_evaluate", {"train_steps": 12}),
            ("train_and_evaluate", {"train_steps": 20, "min_eval_frequency": 7}),
            ("test", {}),
            ("evaluate", {"eval_delay_secs": 0}),
            ("train", {"train_steps": 23}),
        ):
            config = core.RunConfig(model_dir=directory, save_checkpoints_steps=5)
            result = getattr(made(config, options), schedule)()
            told.append([schedule, len(result[1]) if isinstance(result, tuple) else isinstance(result, dict)])
    yield "experiments", told


BATCH, TIME, SIZE, WORDS = 2, 3, 2, 4
ENCODED = np.cos(np.arange(BATCH * TIME * SIZE)).reshape(BATCH, TIME, SIZE).astype(np.float32)
IDS = np.array([[1, 2, 0], [3, 1, 1]])
LENGTHS = [3, 2]


def decoders(of):
    seq2seq, cells = of("seq2seq"), tf1.nn.rnn_cell

    def table():
        return tf1.get_variable("table", [WORDS, SIZE])

    def attending(mechanism, memory=None, lengths=None, cell=None, **more):
        memory = tf.constant(ENCODED) if memory is None else memory
        made = getattr(seq2seq, mechanism)(3, memory, memory_sequence_length=lengths, **more)
        return (cell or cells.LSTMCell(3)), made

    def decoded(helper, cell, state, layer=True, **more):
        layer = tf1.layers.Dense(WORDS, name="words") if layer else None
        decoder = seq2seq.BasicDecoder(cell, helper, state, layer)
        outputs, state, lengths = seq2seq.dynamic_decode(decoder, **more)
        found = {"outputs": outputs.rnn_output, "ids": outputs.sample_id, "lengths": lengths}
        states = [one for one in tf1.nest.flatten(state) if not isinstance(one, tf.TensorArray)]
        found.update({f"state {number}": one for number, one in enumerate(states)})
        found["loss"] = tf.reduce_sum(tf.square(outputs.rnn_output)) + sum(
            tf.reduce_sum(tf.square(one)) for one in states if one.dtype == tf.float32
        )
        return found, state

    def training(table, **more):
        inputs = tf.nn.embedding_lookup(table, tf.constant(IDS))
        return seq2seq.TrainingHelper(inputs, tf.constant(LENGTHS), **more)

    def plain():
        cell = cells.GRUCell(3)
        helper = training(table())
        return decoded(helper, cell, cell.zero_state(BATCH, tf.float32), impute_finished=True)[0]

    def time_major():
        cell = cells.LSTMCell(3)
        inputs = tf.transpose(tf.nn.embedding_lookup(table(), tf.constant(IDS)), [1, 0, 2])
        helper = seq2seq.TrainingHelper(inputs, tf.constant(LENGTHS), time_major=True, name="t")
        state = cell.zero_state(BATCH, tf.float32)
        return decoded(helper, cell, state, False, output_time_major=True, maximum_iterations=2, scope="d")[0]

    def with_attention(mechanism, lengths=None, history=False, of_state=False, size=2, **more):
        cell, made = attending(mechanism, lengths=lengths, **more)
        cell = seq2seq.AttentionWrapper(
            cell, made, attention_layer_size=size, alignment_history=history, output_attention=not history
        )
        state = cell.zero_state(BATCH, tf.float32)
        if of_state:
            state = state.clone(cell_state=cells.LSTMStateTuple(*[tf.ones([BATCH, 3]) / 2] * 2))
        found, state = decoded(training(table()), cell, state, impute_finished=not history)
        if history:
            found["history"] = state.alignment_history.stack()
        return found

    def bahdanau():
        return with_attention("BahdanauAttention", LENGTHS, of_state=True, normalize=True)

    def luong():
        return with_attention("LuongAttention", LENGTHS, history=True, scale=True)

    def of_context():
        return dict(with_attention("BahdanauAttention", size=None, probability_fn=tf.nn.sigmoid), loss=None)

    for make in (plain, time_major, bahdanau, luong, of_context):
        yield f"decoder: {make.__name__}", evaluated(make)

    def two_mechanisms():
        cell, first = attending("BahdanauAttention")
        _, second = attending("LuongAttention")
        wrapped = seq2seq.AttentionWrapper(cells.DropoutWrapper(cell), [first, second], [2, 1], name="both")
        stacked = cells.MultiRNNCell([cells.GRUCell(2), wrapped])
        return decoded(training(table()), stacked, stacked.zero_state(BATCH, tf.float32))[0]

    yield "decoder: two mechanisms", evaluated(two_mechanisms)

    def twice():
        embeddings = table()
        cell, mechanism = attending("BahdanauAttention")
        cell = seq2seq.AttentionWrapper(cell, mechanism, 2, initial_cell_state=cell.zero_state(BATCH, tf.float32))
        state, layer = cell.zero_state(BATCH, tf.float32), tf1.layers.Dense(WORDS, name="words")
        found = {}
        greedy = seq2seq.GreedyEmbeddingHelper(embeddings, [1, 2], 0)
        for number, helper in enumerate([training(embeddings), greedy]):
            decoder = seq2seq.BasicDecoder(cell, helper, state, output_layer=layer)
            with tf1.variable_scope("decoding", reuse=tf1.AUTO_REUSE):
                outputs, _, lengths = seq2seq.dynamic_decode(decoder, maximum_iterations=4)
            found.update({f"outputs {number}": outputs.rnn_output, f"ids {number}": outputs.sample_id})
            found[f"lengths {number}"] = lengths
        return found

    yield "decoder: a cell used twice", evaluated(twice)


def beams(of):
    seq2seq, cells = of("seq2seq"), tf1.nn.rnn_cell

    def searched(width, attention, **more):
        cell = cells.LSTMCell(3)
        if attention is not None:
            memory, lengths = seq2seq.tile_batch((attention, tf.constant(LENGTHS)), multiplier=width)
            mechanism = seq2seq.LuongAttention(3, memory, lengths)
            cell = seq2seq.AttentionWrapper(cell, mechanism, alignment_history=True)
        state = cell.zero_state(BATCH * width, tf.float32)
        table = tf1.get_variable("table", [WORDS, SIZE])
        layer = tf1.layers.Dense(WORDS, name="words")
        decoder = seq2seq.BeamSearchDecoder(cell, table, [1, 2], 0, state, width, layer, **more)
        outputs, state, lengths = seq2seq.dynamic_decode(decoder, maximum_iterations=5)
        found = dict(outputs.beam_search_decoder_output._asdict(), predicted=outputs.predicted_ids, ends=lengths)
        found.update({"log_probs": state.log_probs, "lengths": state.lengths, "finished": state.finished})
        if attention is not None:
            history = state.cell_state.alignment_history
            found["history"] = history.stack() if isinstance(history, tf.TensorArray) else history
        return found

    yield "beams: plain", evaluated(lambda: searched(3, None, length_penalty_weight=0.6))
    for shape in ([BATCH, TIME, SIZE], [BATCH, None, SIZE]):  # contrib put no history in order whose size it knew
        memory = functools.partial(tf1.placeholder_with_default, ENCODED, shape)
        found = evaluated(lambda memory=memory: searched(2, memory(), coverage_penalty_weight=0.3))
        yield f"beams: attention {shape[1]}", found

    def trees():
        parents = tf.constant([[[0, 0, 0]], [[0, 1, 1]], [[2, 1, 2]], [[2, 0, 1]]])
        steps = tf.constant([[[1, 2, 3]], [[4, 5, 9]], [[7, 8, 9]], [[3, 2, 1]]])
        return {str(end): seq2seq.gather_tree(steps, parents, tf.constant([end]), 9) for end in (4, 3)}

    yield "beams: trees", evaluated(trees)


CASES = (images, lookups, experiments, decoders, beams)


def computed_by(case, of):
    """The results of a case, as JSON has them."""
    results = tf.autograph.experimental.do_not_convert(lambda: dict(case(of)))()
    return json.loads(json.dumps(results, default=_plain))


def _plain(value):
    """An array as lists, of float32 with no more digits than it has."""
    if isinstance(value, bytes):
        return value.decode()
    value = np.asarray(value)
    return (value.astype(str).astype(float) if value.dtype == np.float32 else value).tolist()
