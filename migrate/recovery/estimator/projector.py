"""Writes the settings of TensorBoard's projector, as ``tf.contrib.tensorboard`` did."""

import json
import os

import tensorflow as tf


class _Message:
    """A protocol buffer's message: setting an unknown field raises AttributeError."""

    def __setattr__(self, field, value):
        if field not in self.__dict__:
            raise AttributeError(f"{type(self).__name__} has no field {field!r}")
        self.__dict__[field] = value

    def lines(self, indent=""):
        """Yields the lines of the set fields, in the text format of protocol buffers."""
        for field, value in self.__dict__.items():
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, _Message):
                    inside = [*one.lines(f"{indent}  ")]
                    if inside or isinstance(value, list):
                        yield f"{indent}{field} {{"
                        yield from inside
                        yield f"{indent}}}"
                elif isinstance(one, int):
                    yield f"{indent}{field}: {one}"
                elif one:
                    text = json.dumps(str(one), ensure_ascii=False).encode()
                    shown = [chr(one) if one < 128 else f"\\{one:o}" for one in text]
                    yield f"{indent}{field}: {''.join(shown)}"


class SpriteMetadata(_Message):
    """The file of an embedding's pictures, and the [width, height] of one in pixels."""

    def __init__(self, image_path="", single_image_dim=()):
        self.__dict__.update(
            image_path=image_path, single_image_dim=list(single_image_dim)
        )


class EmbeddingInfo(_Message):
    """The variable of an embedding, and the files that describe its rows."""

    def __init__(
        self,
        tensor_name="",
        metadata_path="",
        bookmarks_path="",
        tensor_shape=(),
        sprite=None,
        tensor_path="",
    ):
        self.__dict__.update(
            tensor_name=tensor_name,
            metadata_path=metadata_path,
            bookmarks_path=bookmarks_path,
            tensor_shape=list(tensor_shape),
            sprite=sprite or SpriteMetadata(),
            tensor_path=tensor_path,
        )


class _Embeddings(list):
    def add(self, **fields):
        """Appends an embedding, and returns it."""
        self.append(EmbeddingInfo(**fields))
        return self[-1]


class ProjectorConfig(_Message):
    """The embeddings of a checkpoint that TensorBoard shows."""

    def __init__(
        self, model_checkpoint_path="", embeddings=(), model_checkpoint_dir=""
    ):
        self.__dict__.update(
            model_checkpoint_path=model_checkpoint_path,
            embeddings=_Embeddings(embeddings),
            model_checkpoint_dir=model_checkpoint_dir,
        )


def visualize_embeddings(summary_writer, config):
    """Writes ``projector_config.pbtxt``, which TensorBoard reads.

    Args:
      summary_writer: a writer of summaries, or their directory as a str.
      config: a ``ProjectorConfig``.

    Raises:
      ValueError: the writer has no directory.
    """
    logdir = getattr(summary_writer, "get_logdir", lambda: summary_writer)()
    if logdir is None:
        raise ValueError("Summary writer must have a logdir")
    tf.io.gfile.makedirs(str(logdir))
    with tf.io.gfile.GFile(os.path.join(logdir, "projector_config.pbtxt"), "w") as file:
        file.write("".join(f"{line}\n" for line in config.lines()))
