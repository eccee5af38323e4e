"""Tables from numbers to words, which ``tf.contrib.lookup`` had."""

import tensorflow as tf


def index_to_string_table_from_file(
    vocabulary_file, vocab_size=None, default_value="UNK", name=None
):
    """Returns a table from the numbers of a file's lines, from 0, to the lines.

    Args:
      vocabulary_file: the file's path.
      vocab_size: how many lines to read; None for all.
      default_value: the word of other numbers.
      name: the name of its operation.
    """
    index = tf.lookup.TextFileIndex
    lines = tf.lookup.TextFileInitializer(
        vocabulary_file,
        tf.int64,
        index.LINE_NUMBER,
        tf.string,
        index.WHOLE_LINE,
        vocab_size,
    )
    return tf.lookup.StaticHashTable(lines, default_value, name=name)


def index_to_string_table_from_tensor(mapping, default_value="UNK", name=None):
    """Returns a table from the places in ``mapping``, from 0, to its words.

    Args:
      mapping: a list or a tensor of words.
      default_value: the word of other numbers.
      name: the name of its operation.
    """
    words = tf.convert_to_tensor(mapping, tf.string)
    numbers = tf.range(tf.size(words, tf.int64), dtype=tf.int64)
    places = tf.lookup.KeyValueTensorInitializer(numbers, words)
    return tf.lookup.StaticHashTable(places, default_value, name=name)
