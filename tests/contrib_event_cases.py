"""More of ``tests.contrib_cases``: what ``tf.contrib`` wrote for TensorBoard, read again from its files."""

import glob
import os
import tempfile

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

# In quarters, so that each processor rounds the same pixels.
IMAGES = (np.arange(4 * 3 * 5) % 9 / 4.0 - 1.0).reshape(4, 3, 5, 1).astype(np.float32)


def written(directory):
    """The summaries of a directory by their steps and tags."""
    found = {}
    for path in glob.glob(os.path.join(directory, "events.*")):
        for event in tf1.train.summary_iterator(path):
            for value in event.summary.value:
                found[f"{event.step} {value.tag}"] = told(value)
    return {key: found[key] for key in sorted(found)}


def told(value):
    """What a summary holds, as numbers and text."""
    kind = value.WhichOneof("value")
    if kind == "simple_value":
        return value.simple_value
    if kind == "histo":
        histogram = value.histo
        buckets = [list(histogram.bucket_limit), list(histogram.bucket)]
        return [histogram.min, histogram.max, histogram.num, histogram.sum, histogram.sum_squares, *buckets]
    if kind == "image":
        with tf.Graph().as_default(), tf1.Session() as session:
            return session.run(tf1.image.decode_png(value.image.encoded_image_string)).tolist()
    raise ValueError(kind)


def summaries(of):
    summary = of("summary")

    def all_kinds(step):
        with summary.always_record_summaries(), tf1.name_scope("inside"):
            summary.scalar("number", tf.cast(step, tf.float32) / 4.0)
            summary.scalar("of_family", 3.0, family="family", step=tf.cast(step * 10, tf.int64))
            summary.histogram("histogram", tf.constant(IMAGES[0]) * tf.cast(step, tf.float32))
            summary.image("images", tf.constant(IMAGES))
            summary.image("one", tf.constant(IMAGES), max_images=1)
        with summary.record_summaries_every_n_global_steps(2):
            summary.scalar("every_second", 2.0)
        summary.scalar("not_asked_for", 1.0)

    for name, make in (
        ("create_file_writer", summary.create_file_writer),
        ("create_summary_file_writer", summary.create_summary_file_writer),
    ):
        with tempfile.TemporaryDirectory() as directory:
            with tf.Graph().as_default(), tf1.Session() as session:
                step = tf1.train.create_global_step()
                writer = make(directory, max_queue=10, flush_millis=1000)
                with writer.as_default():
                    all_kinds(step)
                    done = summary.all_summary_ops()
                session.run([tf1.global_variables_initializer(), writer.init()])
                for number in range(3):
                    step.load(number, session)
                    session.run(done)
                session.run(writer.flush())
                session.run(writer.close())
            yield name, written(directory)


def embeddings(of):
    projector = of("tensorboard.plugins.projector")
    config = projector.ProjectorConfig()
    config.model_checkpoint_path = "folder/model.ckpt-3"
    first = config.embeddings.add()
    first.tensor_name = "words:0"
    first.metadata_path = 'a "quoted" \\path\\é.tsv\t'
    first.sprite.image_path = "pictures.png"
    first.sprite.single_image_dim.extend([28, 30])
    own = projector.EmbeddingInfo()
    own.tensor_name = "others"
    own.tensor_shape.extend([3, 4])
    config.embeddings.extend([own])
    config.embeddings.add(bookmarks_path="bookmarks", sprite=projector.SpriteMetadata(image_path="one.png"))
    with tempfile.TemporaryDirectory() as directory, tf.Graph().as_default():
        writer = tf1.summary.FileWriter(directory)
        projector.visualize_embeddings(writer, config)
        writer.close()
        with open(os.path.join(directory, "projector_config.pbtxt"), encoding="utf-8") as file:
            yield "file", file.read().splitlines()
    try:
        first.no_such_field = 1
    except AttributeError:
        yield "no field", "AttributeError"


EVENT_CASES = (summaries, embeddings)
