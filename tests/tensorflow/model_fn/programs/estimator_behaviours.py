"""What an Estimator does, or the object that stands for it: one line of JSON with the outcome of each behaviour.

usage: estimator_behaviours.py old|new
"""

import glob
import importlib
import inspect
import json
import logging
import os
import pathlib
import pickle
import re
import sys
import tempfile
from functools import partial

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

if sys.argv[1] == "old":
    from tensorflow.estimator import (
        BestExporter,
        EstimatorSpec,
        EvalSpec,
        Exporter,
        FinalExporter,
        LatestExporter,
        RunConfig,
        TrainSpec,
        WarmStartSettings,
        add_metrics,
        train_and_evaluate,
    )
    from tensorflow.estimator.experimental import stop_if_higher_hook
    from tensorflow.estimator.export import PredictOutput, ServingInputReceiver
    from tensorflow_estimator.python.estimator.tpu.tpu_config import RunConfig as TPURunConfig

    Estimator = tf1.estimator.Estimator
    TPUEstimator, TPUEstimatorSpec = tf1.estimator.tpu.TPUEstimator, tf1.estimator.tpu.TPUEstimatorSpec
else:
    import migrate.recovery.cluster.cluster  # noqa: F401
    from migrate.recovery.estimator.best_exporter import BestExporter
    from migrate.recovery.estimator.early_stopping import stop_if_higher_hook
    from migrate.recovery.estimator.estimator import Estimator, EstimatorSpec
    from migrate.recovery.estimator.export import ServingInputReceiver
    from migrate.recovery.estimator.export_outputs import PredictOutput
    from migrate.recovery.estimator.extended_estimators import add_metrics
    from migrate.recovery.estimator.model_exporters import FinalExporter, LatestExporter
    from migrate.recovery.estimator.run_config import RunConfig, WarmStartSettings
    from migrate.recovery.estimator.tpu import TPUEstimator, TPUEstimatorSpec, TPURunConfig
    from migrate.recovery.estimator.train_and_evaluate import EvalSpec, Exporter, TrainSpec, train_and_evaluate

X = np.linspace(0, 1, 80, dtype="f").reshape(40, 2)
Y = X @ np.array([[2.0], [-1.0]], "f")
LOGGED = re.compile(
    r"loss = |Saving (checkpoints|dict|'checkpoint_path')|Skipping|Loss for|global_step/sec|Skip the current"
    r"|final export|best model|Starting evaluation|Evaluation \[|Inference Time|Finished evaluation"
)


def input_fn():
    return tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).repeat().batch(8)


def once():
    return tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).batch(8)


def tensors():
    return tf1.data.make_one_shot_iterator(input_fn()).get_next()


def model_fn(features, labels, mode, params, config):
    w = tf1.get_variable("w", [2, 1], initializer=tf1.zeros_initializer())
    predicted = features["x"] @ w
    if mode == "infer":
        outputs = {"serving_default": PredictOutput({"p": predicted}), "twice": PredictOutput({"p": 2 * predicted})}
        return EstimatorSpec(mode, predictions={"p": predicted, "q": predicted + 1}, export_outputs=outputs)
    loss = tf1.losses.mean_squared_error(labels, predicted)
    metrics = {"mae": tf1.metrics.mean_absolute_error(labels, predicted)}
    if mode == "eval":
        return EstimatorSpec(mode, predictions={"p": predicted}, loss=loss, eval_metric_ops=metrics)
    optimizer = tf1.train.MomentumOptimizer((params or {}).get("rate", 0.1), 0.5)
    with tf.control_dependencies(logged_reads()):
        train_op = optimizer.minimize(loss, tf1.train.get_global_step())
    return EstimatorSpec(mode, loss=loss, train_op=train_op)


def logged_reads():
    """Returns the read of the step that an Estimator logs: it runs beside the update, and may see either number."""
    return [tf1.get_default_graph().as_graph_element(tf1.train.get_global_step())] if sys.argv[1] == "old" else []


def receiver_fn():
    x = tf1.placeholder(tf.float32, [None, 2], "x")
    return ServingInputReceiver({"x": x}, {"x": x})


class Noting(tf1.train.SessionRunHook):
    """Notes its events, with the step and the newest checkpoint there."""

    def __init__(self, model_dir, then=lambda step, context: None):
        self.events, self._model_dir, self._then = [], model_dir, then

    def _note(self, event, session):
        step = int(session.run(self._step))
        self.events.append([event, step, saved(self._model_dir)[-1:]])
        return step

    def begin(self):
        self._step = tf1.train.get_global_step()
        self.events.append(["begin"])

    def after_create_session(self, session, coord):
        self._note("after_create_session", session)

    def before_run(self, run_context):
        return tf1.train.SessionRunArgs(self._step)

    def after_run(self, run_context, run_values):
        self._then(self._note("after_run", run_context.session), run_context)

    def end(self, session):
        self._note("end", session)


class Listener(tf1.train.CheckpointSaverListener):
    def __init__(self, model_dir, stop_at=None):
        self.events, self._model_dir, self._stop_at = [], model_dir, stop_at

    def begin(self):
        self.events.append(["begin"])

    def before_save(self, session, global_step_value):
        self.events.append(["before", int(global_step_value), saved(self._model_dir)[-1:]])

    def after_save(self, session, global_step_value):
        self.events.append(["after", int(global_step_value), saved(self._model_dir)[-1:]])
        return global_step_value == self._stop_at

    def end(self, session, global_step_value):
        self.events.append(["end", int(global_step_value)])


class Stamps(Exporter):
    """An exporter of the user's own."""

    def __init__(self):
        self.calls = []

    @property
    def name(self):
        return "stamps"

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        path = os.path.relpath(export_path, estimator.model_dir)
        step = checkpoint_path.rpartition("-")[2]
        self.calls.append([path, step, sorted(eval_result), bool(is_the_final_export)])
        return f"stamp {step}"


def saved(directory):
    """Returns the steps of the checkpoints in a directory."""
    return sorted(int(path[: -len(".index")].rpartition("-")[2]) for path in glob.glob(f"{directory}/*.index"))


def files(directory):
    """Returns what is in a directory, by kind."""
    names = set()
    for folder, _, inside in os.walk(directory):
        where = re.sub(r"\d{10}", "TIME", os.path.relpath(folder, directory))
        if "variables" not in where:
            for name in inside:
                known = "events" if ".tfevents." in name else re.sub(r".*ckpt-\d+\..*", "checkpoint files", name)
                names.add(f"{where}/{known}")
    return sorted(names - {"./graph.pbtxt"})  # a debugging aid


def takes(function):
    return list(inspect.signature(function).parameters)


def outcome_of(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__


def numbers(metrics):
    return {name: float(value) for name, value in metrics.items()}


def plain(array):
    return np.round(np.asarray(array, "f8"), 6).tolist()


def estimator(model_dir, model_fn=model_fn, params=None, warm_start_from=None, **settings):
    settings = {"save_checkpoints_steps": 4, "tf_random_seed": 1, "log_step_count_steps": 3, **settings}
    return Estimator(model_fn, model_dir, RunConfig(**settings), params or {"rate": 0.1}, warm_start_from)


def saves_at_the_start_in_the_interval_and_at_the_end(model_dir):
    estimator(model_dir).train(input_fn, max_steps=10)
    return saved(model_dir)


def keeps_the_newest_and_goes_on_counting_after_a_restart(model_dir):
    estimator(model_dir, keep_checkpoint_max=2).train(input_fn, max_steps=10)
    first = saved(model_dir)
    estimator(model_dir, keep_checkpoint_max=2).train(input_fn, max_steps=17)
    return first, saved(model_dir)


def keeps_all_if_asked(model_dir):
    estimator(model_dir, keep_checkpoint_max=0, save_checkpoints_steps=1).train(input_fn, max_steps=8)
    return saved(model_dir)


def saves_by_the_clock(model_dir):
    estimator(model_dir, save_checkpoints_steps=None, save_checkpoints_secs=1000).train(input_fn, max_steps=5)
    return saved(model_dir)


def saves_never_without_an_interval_and_leaves_what_it_restores(model_dir):
    one = estimator(model_dir, save_checkpoints_steps=None, save_checkpoints_secs=None)
    one.train(input_fn, max_steps=5)
    told = [saved(model_dir), one.latest_checkpoint()]
    told.append(outcome_of(lambda: one.train(input_fn, max_steps=5, saving_listeners=[Listener(model_dir)])))
    told.append(outcome_of(lambda: train_and_evaluate(one, TrainSpec(input_fn, max_steps=5), EvalSpec(once))))
    estimator(model_dir).train(input_fn, max_steps=6)
    times = [os.stat(path).st_mtime_ns for path in sorted(glob.glob(f"{model_dir}/model.ckpt-*"))]
    one.train(input_fn, steps=2)
    told.append(times == [os.stat(path).st_mtime_ns for path in sorted(glob.glob(f"{model_dir}/model.ckpt-*"))])
    return told, numbers(one.evaluate(once))


def steps_count_on_and_max_steps_is_a_total(model_dir):
    one = estimator(model_dir)
    ends = []
    for given in ({"steps": 3}, {"steps": 3}, {"max_steps": 5}, {"max_steps": 8}):
        is_same = one.train(input_fn, **given) is one
        ends.append([is_same, saved(model_dir)[-1]])
    return ends


def the_end_of_the_input_ends_the_training_with_a_save(model_dir):
    estimator(model_dir).train(once)
    return saved(model_dir), numbers(estimator(model_dir).evaluate(once))


def logs_in_its_own_form(model_dir):
    lines = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())
    logger = logging.getLogger("tensorflow")
    logger.addHandler(handler)
    one = estimator(model_dir)
    one.train(input_fn, max_steps=8)
    one.train(input_fn, max_steps=8)
    one.evaluate(once)
    for steps in (3, 25):
        one.evaluate(input_fn, steps=steps)
    logger.removeHandler(handler)
    told = [line.replace(model_dir, "DIR") for line in lines if LOGGED.search(line)]
    # TensorFlow 2.21 gives some of its records to a logger twice.
    told = [line for line, before in zip(told, [None, *told], strict=False) if line != before]
    # The hook reads the step beside its update, so that it may tell the next one; the loss says which step it is.
    told = [re.sub(r"step = \d+\b", "step = N", line) for line in told]
    return [re.sub(r"(sec: |\(|Time : |evaluation at )[-\d.e+T:]+", r"\1N", line) for line in told]


def hooks_run_after_the_save_of_their_step(model_dir):
    hook = Noting(model_dir)
    estimator(model_dir).train(input_fn, hooks=[hook], max_steps=5)
    return hook.events


def a_hook_that_raises_at_a_save_finds_it_saved(model_dir):
    def fail(step, context):
        if step == 4:
            raise RuntimeError

    outcome = outcome_of(lambda: estimator(model_dir).train(input_fn, hooks=[Noting(model_dir, fail)], max_steps=9))
    return outcome, saved(model_dir)


def a_hook_that_raises_the_end_of_the_input_ends_with_a_save(model_dir):
    told = []
    for end in (tf.errors.OutOfRangeError(None, None, "enough"), StopIteration()):

        def finish(step, context, end=end):
            if step == 6:
                raise end

        directory = f"{model_dir}/{len(told)}"
        hook = Noting(directory, finish)
        estimator(directory).train(input_fn, hooks=[hook], max_steps=9)
        told.append([hook.events[-2:], saved(directory)])
    return told


def steps_are_counted_from_where_after_create_session_left_the_step(model_dir):
    class Broadcast(tf1.train.SessionRunHook):
        def begin(self):
            self._receive = tf1.assign(tf1.train.get_global_step(), 60)

        def after_create_session(self, session, coord):
            session.run(self._receive)

    estimator(model_dir).train(input_fn, steps=10, hooks=[Broadcast()])
    return saved(model_dir)


def a_loss_that_is_no_number_ends_it(model_dir):
    def diverging(features, labels, mode, params, config):
        spec = model_fn(features, labels, mode, params, config)
        step = tf1.train.get_global_step()
        return spec._replace(loss=tf.where(step < 4, spec.loss, np.nan))

    outcome = outcome_of(lambda: estimator(model_dir, diverging).train(input_fn, max_steps=9))
    return outcome, saved(model_dir)


def evaluates_the_latest_or_a_given_checkpoint(model_dir):
    one = estimator(model_dir)
    untrained = numbers(one.evaluate(once))
    one.train(input_fn, max_steps=8)
    four = one.latest_checkpoint().replace("-8", "-4")
    told = [one.evaluate(once), one.evaluate(once, steps=2, name="two"), one.evaluate(once, checkpoint_path=four)]
    told.append(one.evaluate(once, steps=100))  # to the end of the input
    return untrained, [numbers(metrics) for metrics in told], files(model_dir)


def predicts_examples_or_batches(model_dir):
    one = estimator(model_dir)
    one.train(input_fn, max_steps=8)
    examples = list(one.predict(once))
    batch = next(one.predict(once, predict_keys=["q"], yield_single_examples=False))
    unknown = outcome_of(lambda: next(one.predict(once, predict_keys=["z"])))
    last = {name: plain(value) for name, value in examples[-1].items()}
    return len(examples), last, {name: plain(value) for name, value in batch.items()}, unknown


def is_called_by_the_model_fn_of_another(model_dir):
    inner = estimator(model_dir)

    def outer_fn(features, labels, mode):
        spec = inner._call_model_fn(features, labels, mode, config=inner.config)
        if spec.export_outputs:
            spec.export_outputs["serving_default"] = PredictOutput(spec.predictions)
        return spec

    outer = Estimator(outer_fn, config=inner.config)
    outer.train(input_fn, max_steps=6)
    path = outer.export_saved_model(model_dir + "/export", receiver_fn)
    served = tf.saved_model.load(path.decode()).signatures["serving_default"].structured_outputs
    return saved(model_dir), numbers(outer.evaluate(once)), sorted(served)


def exports_the_signatures(model_dir):
    one = estimator(model_dir)
    before = outcome_of(lambda: one.export_saved_model(model_dir + "/export", receiver_fn))
    one.train(input_fn, max_steps=4)
    given = [outcome_of(lambda: one.export_saved_model(model_dir + "/export", None))]
    one.export_saved_model(model_dir + "/export", receiver_fn)
    path = one.export_savedmodel(model_dir + "/text", receiver_fn, as_text=True)
    with tf.Graph().as_default(), tf1.Session() as session:
        loaded = tf1.saved_model.load(session, ["serve"], tf.compat.as_str(path))
        signatures = {
            name: [sorted(one.inputs), sorted(one.outputs), one.method_name]
            for name, one in loaded.signature_def.items()
            if not name.startswith("_")
        }
    return before, given, type(path).__name__, signatures, files(model_dir)


def names_and_values_of_variables(model_dir):
    one = estimator(model_dir)
    before = [outcome_of(one.get_variable_names), outcome_of(lambda: one.get_variable_value("w"))]
    latest = one.latest_checkpoint()
    one.train(input_fn, max_steps=4)
    return before, latest, sorted(one.get_variable_names()), plain(one.get_variable_value("w"))


def the_model_fn_is_given_any_mode(model_dir):
    one = Estimator(lambda features, mode: EstimatorSpec("infer", mode), model_dir)
    return one.model_fn(X, Y, "a mode of its own", one.config).predictions


def attributes_are_copies(model_dir):
    one = estimator(model_dir, params={"rate": 0.2})
    one.params["rate"] = 9
    names = [os.path.relpath(path, model_dir) for path in (one.model_dir, one.eval_dir(), one.eval_dir("a"))]
    return names, one.params, one.config.model_dir == model_dir, type(one.config).__name__, callable(one.model_fn)


def a_subclass_and_its_pickle_work(model_dir):
    again = pickle.loads(pickle.dumps(Linear(model_dir)))
    again.train(input_fn, max_steps=4)
    return isinstance(again, Estimator), type(again).__name__, again.name, saved(model_dir)


class Linear(Estimator):
    name = "mine"

    def __init__(self, model_dir):
        super().__init__(model_fn, model_dir, RunConfig(save_checkpoints_steps=4), params={"rate": 0.1})


def the_model_fn_and_the_input_fn_get_what_they_name(model_dir):
    seen = []

    def own_input_fn(mode, params, config):
        seen.append(["input", mode, dict(params), config.model_dir == model_dir])
        return once()

    def own_model_fn(features, labels, mode, params, config):
        seen.append(["model", mode, dict(params), config.model_dir == model_dir, labels is None])
        params["rate"] = 0.0  # of a copy
        return model_fn(features, labels, mode, {"rate": 0.1}, config)

    one = estimator(model_dir, own_model_fn, params={"rate": 0.3})
    one.train(own_input_fn, max_steps=2)
    one.evaluate(own_input_fn)
    list(one.predict(own_input_fn))
    calls = []
    for call in seen:
        if call not in calls[-1:]:  # the object looks at what an input_fn returns before it uses it
            calls.append(call)
    return calls


def begins_with_the_weights_of_another_job(model_dir):
    estimator(model_dir + "/a").train(input_fn, max_steps=4)
    told = []
    for start in (model_dir + "/a", WarmStartSettings(model_dir + "/a", vars_to_warm_start="w")):
        other = f"{model_dir}/b{len(told)}"
        one = estimator(other, warm_start_from=start)
        untrained = numbers(one.evaluate(once))
        one.train(input_fn, steps=2)
        told.append([untrained, plain(one.get_variable_value("w")), saved(other)])
    return told


def errors_say_what_is_wrong(model_dir):
    def strange(features, labels, mode, batch):
        """Takes what no Estimator gives."""

    def told(call):
        try:
            made = call()
            return type(made).__name__ if isinstance(made, Estimator) else made
        except Exception as error:
            shown = re.sub(r"<function.*?0x\w+>", "FUNCTION", str(error).replace(model_dir, "DIRECTORY"))
            return [type(error).__name__, " ".join(shown.split()).rstrip(".")]

    one = estimator(model_dir)
    with_texts = [
        lambda: RunConfig(save_checkpoints_steps=1, save_checkpoints_secs=1),
        lambda: Estimator(None, model_dir),
        lambda: Estimator(lambda labels: None, model_dir),
        lambda: one.train(input_fn, steps=1, max_steps=1),
        lambda: one.train(input_fn, steps=0),
        lambda: Estimator(lambda features, mode: None, model_dir).train(input_fn),
        lambda: one.evaluate(once, steps=0),
        lambda: one.get_variable_names(),
        lambda: one.export_saved_model(f"{model_dir}/export", receiver_fn),
        lambda: Estimator(model_fn, model_dir, RunConfig(model_dir=model_dir + "/other")),
        lambda: Estimator(strange, model_dir),
        lambda: Estimator(lambda features, labels: None, model_dir, params={"a": 1}),
        lambda: TrainSpec(input_fn, max_steps=0),
        lambda: EvalSpec(input_fn, steps=-1),
    ]
    loss = lambda mode: EstimatorSpec(mode, loss=tf.constant(1.0))  # noqa: E731

    def returning(result):
        return Estimator(lambda features, labels, mode: result(mode), model_dir)

    calls = [
        lambda: RunConfig(save_checkpoints_steps=0, save_checkpoints_secs=60),
        lambda: RunConfig(save_checkpoints_steps=1).replace(save_checkpoints_steps=1, save_checkpoints_secs=1),
        lambda: RunConfig(keep_checkpoint_max=-1),
        lambda: RunConfig(tf_random_seed="1"),
        lambda: RunConfig(model_dir=""),
        lambda: RunConfig().replace(color=1),
        lambda: Estimator(model_fn, model_dir, {"save_checkpoints_steps": 1}),
        lambda: Estimator(lambda features, labels, mode: None, model_dir, params={}),
        lambda: one.train(input_fn, max_steps=-1),
        lambda: one.train(input_fn, hooks=["hook"]),
        lambda: one.train(input_fn, saving_listeners=["listener"]),
        lambda: one.train(lambda: [1, 2, 3]),
        lambda: returning(lambda mode: None).train(input_fn),
        lambda: returning(loss).train(input_fn),
        lambda: returning(lambda mode: EstimatorSpec(mode, predictions=1.0)).evaluate(input_fn),
        lambda: next(returning(loss).predict(input_fn)),
        lambda: TrainSpec("input_fn"),
        lambda: TrainSpec(input_fn, hooks=["hook"]),
        lambda: EvalSpec(input_fn, throttle_secs=-1),
        lambda: EvalSpec(input_fn, exporters=[1]),
        lambda: EvalSpec(input_fn, exporters=[FinalExporter("a", receiver_fn), LatestExporter("a", receiver_fn)]),
        lambda: LatestExporter("a", receiver_fn, exports_to_keep=0),
        lambda: BestExporter("a", receiver_fn, compare_fn=None),
        lambda: train_and_evaluate("estimator", TrainSpec(input_fn), EvalSpec(once)),
        lambda: train_and_evaluate(one, EvalSpec(once), EvalSpec(once)),
    ]
    kinds = [found[0] if isinstance(found, list) else found for found in map(told, calls)]
    return [told(call) for call in with_texts], kinds


def settings_of_a_config_and_of_its_copies(model_dir):
    names = "model_dir tf_random_seed save_summary_steps save_checkpoints_steps save_checkpoints_secs "
    names += "keep_checkpoint_max keep_checkpoint_every_n_hours log_step_count_steps"
    told = []
    for given, *changes in (
        [{}, {"save_checkpoints_steps": 5}, {"save_checkpoints_steps": None}, {"save_checkpoints_steps": 0}],
        [{}, {"save_checkpoints_secs": None}],
        [{"save_checkpoints_steps": 5}, {"save_checkpoints_secs": 60}, {"save_checkpoints_steps": None}],
        [{"save_checkpoints_steps": 5}, {"save_checkpoints_secs": 0}, {"save_checkpoints_secs": None}],
        [{"save_checkpoints_secs": 60, "keep_checkpoint_max": 0}],
        [{"save_checkpoints_steps": None, "save_checkpoints_secs": 30}, {"tf_random_seed": 3}],
        [{"save_checkpoints_steps": 5, "save_summary_steps": 7, "tf_random_seed": 3, "log_step_count_steps": None}],
        [{"save_checkpoints_steps": None}, {"keep_checkpoint_max": 7}],
        [{"save_checkpoints_secs": None}, {"model_dir": "m"}],
        [{"save_checkpoints_secs": 0}],
        [{"save_checkpoints_steps": None, "save_checkpoints_secs": None}],
    ):
        config = RunConfig(**given)
        for one in (config, *(config.replace(**change) for change in changes)):
            told.append([getattr(one, name) for name in names.split()])
    return told


def reads_its_place_from_the_environment(model_dir):
    names = "task_type task_id is_chief master evaluation_master num_ps_replicas num_worker_replicas"
    jobs = {"chief": ["a:1"], "worker": ["b:1", "c:1"], "ps": ["d:1"]}
    told = []
    for given in (
        {},
        {"cluster": jobs, "task": {"type": "chief", "index": 0}},
        {"cluster": jobs, "task": {"type": "worker", "index": 1}},
        {"cluster": jobs, "task": {"type": "ps", "index": "0"}},
        {"cluster": jobs, "task": {"type": "evaluator", "index": 0}},
        {"cluster": {"chief": ["a:1"]}, "task": {"type": "chief", "index": 0}},
        {"cluster": {"master": ["a:1"], "worker": ["b:1"]}, "task": {"type": "master", "index": 0}},
        {"cluster": jobs, "task": {"type": "worker", "index": 2}},
        {"cluster": jobs},
        {"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}},
        {"task": {"type": "evaluator", "index": 0}},
        {"model_dir": "somewhere", "service": {"a": 1}, "session_master": "grpc://x", "eval_session_master": "y"},
    ):
        os.environ["TF_CONFIG"] = json.dumps(given)
        config = outcome_of(RunConfig)
        if not isinstance(config, str):
            more = [config.cluster_spec.as_dict(), config.global_id_in_cluster, config.service, config.model_dir]
            config = [*(getattr(config, name) for name in names.split()), *more]
        told.append(config)
    del os.environ["TF_CONFIG"]
    return told


def trains_and_evaluates(model_dir):
    stamps = Stamps()
    kept = [LatestExporter("newest", receiver_fn, exports_to_keep=1), FinalExporter("final", receiver_fn), stamps]
    train, test = TrainSpec(input_fn, 10), EvalSpec(once, None, throttle_secs=0, exporters=kept)
    metrics, exports = train_and_evaluate(estimator(model_dir), train, test)
    again = train_and_evaluate(estimator(model_dir), train, test)
    exports = [type(one).__name__ for one in exports]
    return numbers(metrics), exports, again, stamps.calls, saved(model_dir), files(model_dir)


def evaluations_wait_for_the_throttle(model_dir):
    stamps = Stamps()
    result = train_and_evaluate(estimator(model_dir), TrainSpec(input_fn, 14), EvalSpec(once, None, exporters=stamps))
    return result[1], [call[1] for call in stamps.calls]


def exports_the_best(model_dir):
    def closer(best_eval_result, current_eval_result):
        return current_eval_result["mae"] < best_eval_result["mae"] / 2

    def run(end):
        best = BestExporter("best", receiver_fn, compare_fn=closer)
        test = EvalSpec(once, None, throttle_secs=0, exporters=best)
        return [
            path is not None for path in train_and_evaluate(estimator(model_dir), TrainSpec(input_fn, end), test)[1]
        ]

    return run(8), run(12), os.listdir(model_dir + "/export")


def stops_early_by_a_metric(model_dir):
    one = estimator(model_dir, save_checkpoints_steps=2)
    hook = stop_if_higher_hook(one, "mae", -1.0, run_every_secs=None, run_every_steps=1)
    test = EvalSpec(once, None, throttle_secs=0)
    train_and_evaluate(one, TrainSpec(input_fn, 20, hooks=[hook]), test)
    # The hook reads the step beside its update: it stops at 2, or on a busy machine at 3.
    return [step for step in saved(model_dir) if step != 3]


def evaluates_more_metrics(model_dir):
    def more(labels, predictions):
        return {"mse": tf1.metrics.mean_squared_error(labels, predictions["p"])}

    one = add_metrics(estimator(model_dir), more)
    one.train(input_fn, max_steps=3)
    return numbers(one.evaluate(once))


def one_for_tpus_runs_off_them(model_dir):
    seen = []

    def tpu_input_fn(params):
        seen.append(["input", params["batch_size"]])
        return tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).repeat(2).batch(params["batch_size"])

    def tpu_model_fn(features, labels, mode, params):
        seen.append([mode, params["use_tpu"], params.get("batch_size")])
        spec = model_fn(features, labels, mode, params, None)
        if mode == "eval":
            metrics = (
                lambda labels, p: {"mae": tf1.metrics.mean_absolute_error(labels, p)},
                [labels, spec.predictions["p"]],
            )
            return TPUEstimatorSpec(mode, loss=spec.loss, eval_metrics=metrics)
        return TPUEstimatorSpec(mode, loss=spec.loss, train_op=spec.train_op, predictions=spec.predictions)

    def make(**settings):
        config = TPURunConfig(model_dir=model_dir, save_checkpoints_steps=4)
        sizes = {"train_batch_size": 8, "eval_batch_size": 4, "predict_batch_size": 2}
        return TPUEstimator(
            tpu_model_fn, config=config, **{"params": {"rate": 0.1}, "use_tpu": False, **sizes, **settings}
        )

    one = make()
    one.train(tpu_input_fn, max_steps=6)
    metrics = numbers(one.evaluate(tpu_input_fn, steps=5))
    predicted = plain(next(one.predict(tpu_input_fn))["p"])
    one.export_saved_model(model_dir + "/export", receiver_fn)
    on_tpu = make(use_tpu=True)
    calls = [
        lambda: on_tpu.train(tpu_input_fn, max_steps=9),
        lambda: on_tpu.evaluate(tpu_input_fn, steps=1),
        lambda: next(on_tpu.predict(tpu_input_fn)),
        lambda: make(use_tpu=True, train_batch_size=None),
        lambda: make(params={"batch_size": 3}),
        lambda: TPUEstimator(tpu_model_fn, config=RunConfig()),
    ]
    errors = [outcome_of(call) for call in calls]
    seen = [call for call, before in zip(seen, [None, *seen], strict=False) if call != before]
    return metrics, predicted, errors, seen, saved(model_dir), on_tpu.config.tpu_config.iterations_per_loop


def trains_under_a_strategy(model_dir):
    told = []
    for strategy in (tf.distribute.MirroredStrategy(["cpu:0"]), tf.distribute.OneDeviceStrategy("cpu:0")):
        one = estimator(f"{model_dir}/{len(told)}", train_distribute=strategy)
        one.train(input_fn, max_steps=6)
        told.append([plain(one.get_variable_value("w")), saved(one.model_dir)])
    return told


def works_inside_a_graph_and_a_session_of_the_program(model_dir):
    one = estimator(model_dir)
    with tf.Graph().as_default(), tf1.Session() as session:
        x = tf1.placeholder(tf.float32)
        doubled = 2 * x
        one.train(input_fn, max_steps=4)
        told = [session.run(doubled, {x: example["p"]}) for example in one.predict(once)]
        metrics = one.evaluate(once)
    return plain(told[-1]), len(told), numbers(metrics), saved(model_dir)


def without_a_checkpoint_predicts_and_exports_nothing_trained(model_dir):
    one = estimator(model_dir)
    calls = [
        one.latest_checkpoint,
        lambda: plain(next(one.predict(once))["p"]),
        lambda: one.export_saved_model(f"{model_dir}/export", receiver_fn),
        lambda: next(one.predict(once, checkpoint_path=f"{model_dir}/model.ckpt-7")),
        lambda: one.evaluate(once, checkpoint_path=f"{model_dir}/model.ckpt-7"),
        lambda: train_and_evaluate(one, TrainSpec(input_fn, max_steps=2), EvalSpec(once)) is None,
    ]
    return [outcome_of(call) for call in calls]


def events_hold_the_loss_of_training_and_the_metrics_of_evaluations(model_dir):
    one = estimator(model_dir, save_summary_steps=2)
    one.train(input_fn, max_steps=6)
    one.evaluate(once)
    one.evaluate(once, name="other", checkpoint_path=one.latest_checkpoint().replace("-6", "-4"))
    return [all_tags(f"{model_dir}/{folder}") for folder in (".", "eval", "eval_other")]


def hooks_of_evaluations_and_predictions_are_called_in_their_order(model_dir):
    called = []

    class Named(tf1.train.SessionRunHook):
        def __init__(self, name):
            self._name = name

        def begin(self):
            called.append(f"begin {self._name}")

        def after_create_session(self, session, coord):
            called.append(f"created {self._name}")

        def before_run(self, run_context):
            called.append(f"before {self._name}")

        def after_run(self, run_context, run_values):
            called.append(f"after {self._name}")

        def end(self, session):
            called.append(f"end {self._name}")

    one = estimator(model_dir)
    for call in (one.train, one.evaluate):
        call(input_fn, steps=2, hooks=[Named("a"), Named("b")])
    list(one.predict(once, hooks=[Named("a"), Named("b")]))
    return called


def predictions_may_be_a_tensor_and_need_one_length(model_dir):
    def predicting(made):
        return Estimator(lambda features, mode: EstimatorSpec(mode, predictions=made(features["x"])), model_dir)

    whole = predicting(lambda x: 2 * x)
    calls = [
        lambda: plain(list(whole.predict(once))),
        lambda: [len(batch) for batch in whole.predict(once, yield_single_examples=False)],
        lambda: list(predicting(lambda x: {"a": x, "b": x[:1]}).predict(once)),
        lambda: len(list(predicting(lambda x: {"a": x, "b": x[:1]}).predict(once, yield_single_examples=False))),
        lambda: next(whole.predict(once, predict_keys=["a"])),
    ]
    return [outcome_of(call) for call in calls]


def what_the_own_code_raises_comes_through_and_nothing_more_is_saved(model_dir):
    def raising(error):
        raise error

    class Stopping(tf1.train.SessionRunHook):
        def after_run(self, run_context, run_values):
            raise KeyError("a hook's")

    one = estimator(model_dir)
    one.train(input_fn, max_steps=2)
    calls = [
        lambda: one.train(lambda: raising(LookupError("an input's"))),
        lambda: estimator(model_dir, lambda features, labels, params: raising(ArithmeticError("a model's"))).train(
            input_fn
        ),
        lambda: one.train(input_fn, hooks=[Stopping()]),
        lambda: one.evaluate(lambda: raising(LookupError("an input's"))),
        lambda: one.evaluate(once, hooks=[Stopping()]),
    ]
    return [outcome_of(call) for call in calls], saved(model_dir)


def directories_are_made_and_may_be_paths(model_dir):
    one = estimator(pathlib.Path(model_dir) / "a" / "b")
    before = os.path.exists(model_dir)
    one.train(input_fn, max_steps=1)
    return before, one.model_dir == f"{model_dir}/a/b", saved(one.model_dir)


def a_scaffold_runs_its_parts_when_a_session_begins(model_dir):
    called = []

    def with_scaffold(features, labels, mode, params, config):
        spec = model_fn(features, labels, mode, params, config)
        w = tf1.global_variables()[-1] if mode == "infer" else tf1.get_collection(tf1.GraphKeys.TRAINABLE_VARIABLES)[0]
        assigned = w.assign([[5.0], [6.0]])

        def init_fn(scaffold, session):
            called.append(["init_fn", mode])
            session.run(assigned)

        return spec._replace(scaffold=tf1.train.Scaffold(init_fn=init_fn))

    one = estimator(model_dir, with_scaffold)
    one.train(input_fn, max_steps=2)
    first = plain(one.get_variable_value("w"))
    one.train(input_fn, max_steps=4)
    one.evaluate(once)
    return called, first


def an_evaluation_starts_its_metrics_beside_what_the_scaffold_starts(model_dir):
    def with_local(features, labels, mode, params, config):
        count = tf1.get_local_variable("count", [], initializer=tf1.constant_initializer(3.0))
        start = tf1.variables_initializer([count])
        spec = model_fn(features, labels, mode, params, config)
        if mode != "eval":
            return spec
        metrics = {**(spec.eval_metric_ops or {}), "count": (count, tf.no_op())}
        return spec._replace(scaffold=tf1.train.Scaffold(local_init_op=start), eval_metric_ops=metrics)

    one = estimator(model_dir, with_local)
    one.train(input_fn, max_steps=4)
    return saved(model_dir), outcome_of(lambda: numbers(one.evaluate(once)))


def summaries_of_the_model_fn_are_written_at_their_steps(model_dir):
    def summing(features, labels, mode, params, config):
        spec = model_fn(features, labels, mode, params, config)
        tf1.summary.scalar("mean", tf.reduce_mean(features["x"]))
        tf1.summary.histogram("spread", features["x"])
        tf1.summary.image("picture", tf.reshape(features["x"], [1, -1, 2, 1]))
        return spec

    told = []
    for every in (3, None):
        one = estimator(f"{model_dir}/{every}", summing, save_summary_steps=every, log_step_count_steps=None)
        one.train(input_fn, max_steps=4)
        one.evaluate(once)
        tags = all_tags(f"{model_dir}/{every}")
        # The hook reads the step beside its update: at 4, or on a busy machine at 3.
        told += [[*tags.values()], max(tags, default=4) in (3, 4), all_tags(f"{model_dir}/{every}/eval")]
    return told


def all_tags(folder):
    """Returns what a directory's events hold besides the graph, by step."""
    found = {}
    for path in sorted(glob.glob(f"{folder}/*.tfevents.*")):
        for event in tf1.train.summary_iterator(path):
            found.setdefault(event.step, set()).update(value.tag for value in event.summary.value)
    return {step: sorted(names) for step, names in sorted(found.items()) if names}


def metrics_may_be_arrays_and_summaries(model_dir):
    def judging(features, labels, mode, params, config):
        spec = model_fn(features, labels, mode, params, config)
        if mode != "eval":
            return spec
        classes, found = tf.cast(labels > 0, tf.int64), tf.cast(spec.predictions["p"] > 0.5, tf.int64)
        rates = tf1.metrics.precision_at_thresholds(classes, tf.cast(found, tf.float32), [0.2, 0.8])
        picture = tf1.summary.image("x", tf.reshape(features["x"], [1, -1, 2, 1]))
        every = {"rates": rates, "count": tf1.metrics.true_positives(classes, found), "picture": (picture, tf.no_op())}
        every["text"] = tf.constant("no summary"), tf.no_op()
        return spec._replace(eval_metric_ops={**every, **spec.eval_metric_ops})

    one = estimator(model_dir, judging)
    one.train(input_fn, max_steps=4)
    found = one.evaluate(input_fn, steps=2)
    told = {name: type(value).__name__ if isinstance(value, bytes) else plain(value) for name, value in found.items()}
    return told, all_tags(f"{model_dir}/eval")


def metrics_may_be_of_keras(model_dir):
    keras = importlib.import_module("keras" if tf.__version__ < "2.16" else "tf_keras")

    def judging(features, labels, mode, params, config):
        spec = model_fn(features, labels, mode, params, config)
        if mode != "eval":
            return spec
        mean, auc = keras.metrics.Mean(), keras.metrics.AUC()
        for scale in (1, 2):  # an Estimator runs the first update alone
            mean.update_state(scale * labels)
        auc.update_state(labels > 0.2, tf.sigmoid(spec.predictions["p"]))
        return spec._replace(eval_metric_ops={**spec.eval_metric_ops, "mean": mean, "auc": auc})

    one = estimator(model_dir, judging)
    one.train(input_fn, max_steps=4)
    return numbers(one.evaluate(input_fn, steps=2)), numbers(one.evaluate(once))


def features_may_be_a_tensor_and_labels_a_dict(model_dir):
    def of_parts(features, labels, mode):
        predicted = features @ tf1.get_variable("w", [2, 1], initializer=tf1.zeros_initializer())
        if mode == "infer":
            return EstimatorSpec(mode, predictions=predicted)
        loss = tf1.losses.mean_squared_error(labels["y"], predicted)
        train_op = tf1.train.GradientDescentOptimizer(0.1).minimize(loss, tf1.train.get_global_step())
        return EstimatorSpec(mode, loss=loss, train_op=train_op)

    def pairs():
        return tf.data.Dataset.from_tensor_slices((X, {"y": Y})).batch(8)

    one = Estimator(of_parts, model_dir, RunConfig(save_checkpoints_steps=4))
    calls = [
        lambda: plain(one.train(pairs).get_variable_value("w")),
        lambda: numbers(one.evaluate(pairs)),
        lambda: plain(next(one.predict(pairs))),
        lambda: plain(next(one.predict(lambda: tf.data.Dataset.from_tensor_slices(X).batch(8)))),
        lambda: one.train(lambda: pairs().map(lambda x, y: (x, y, x)), steps=1),
    ]
    return [outcome_of(call) for call in calls]


def tables_are_filled_for_every_call_and_their_files_exported(model_dir):
    words = f"{model_dir}-words.txt"
    pathlib.Path(words).write_text("a\nb\n")

    def reading(features, labels, mode):
        lines = tf1.lookup.TextFileInitializer(
            words, tf.string, tf1.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf1.lookup.TextFileIndex.LINE_NUMBER
        )
        number = tf.cast(tf1.lookup.StaticHashTable(lines, 7).lookup(features["word"]), tf.float32)
        w = tf1.get_variable("w", [], initializer=tf1.zeros_initializer())
        if mode == "infer":
            outputs = {"serving_default": PredictOutput({"number": number})}
            return EstimatorSpec(mode, predictions={"number": number}, export_outputs=outputs)
        loss = tf.reduce_mean((number - w) ** 2)
        train_op = tf1.train.GradientDescentOptimizer(0.1).minimize(loss, tf1.train.get_global_step())
        return EstimatorSpec(mode, loss=loss, train_op=train_op)

    def of_words():
        return tf.data.Dataset.from_tensor_slices(({"word": ["a", "b", "c", "b"]}, [0, 0, 0, 0])).batch(2)

    def receive():
        word = tf1.placeholder(tf.string, [None], "word")
        return ServingInputReceiver({"word": word}, {"word": word})

    one = Estimator(reading, model_dir, RunConfig(save_checkpoints_steps=4))
    one.train(of_words)
    told = [plain(one.get_variable_value("w")), numbers(one.evaluate(of_words))]
    told.append([plain(each["number"]) for each in one.predict(of_words)])
    path = tf.compat.as_str(one.export_saved_model(f"{model_dir}/export", receive))
    served = tf.saved_model.load(path).signatures["serving_default"](word=tf.constant(["b", "z"]))
    return told, plain(served["number"]), sorted(os.listdir(f"{path}/assets"))


def exports_take_files_along_and_an_older_checkpoint(model_dir):
    note = f"{model_dir}-note.txt"
    pathlib.Path(note).write_text("of the user")
    one = estimator(model_dir)
    one.train(input_fn, max_steps=8)
    four = one.latest_checkpoint().replace("-8", "-4")
    path = one.export_saved_model(
        f"{model_dir}/export", receiver_fn, assets_extra={"own/note.txt": note}, checkpoint_path=four
    )
    served = tf.saved_model.load(tf.compat.as_str(path)).signatures["serving_default"](x=tf.constant([[1.0, 1.0]]))
    extra = pathlib.Path(tf.compat.as_str(path), "assets.extra", "own", "note.txt")
    return plain(served["p"]), extra.read_text(), plain(next(one.predict(once, checkpoint_path=four))["p"])


BEHAVIOURS = {name: one for name, one in globals().items() if inspect.isfunction(one) and takes(one) == ["model_dir"]}


def main():
    tf1.logging.set_verbosity(tf1.logging.INFO)
    logging.getLogger("tensorflow").propagate = False
    only = sys.argv[2:]
    for name, function in BEHAVIOURS.items():
        if not only or name in only:
            with tempfile.TemporaryDirectory() as folder:
                model_dir = os.path.join(folder, "model")
                outcome = function(model_dir) if only else outcome_of(partial(function, model_dir))
            print(json.dumps([name, outcome]), flush=True)


main()
