"""Tables from numbers to words, which ``tf.contrib.lookup`` had."""

import tensorflow as tf


def index_to_string_table_from_file(
    vocabulary_file,
    vocab_size=None,
    default_value="UNK",
    name=None,
    key_column_index=tf.lookup.TextFileIndex.LINE_NUMBER,
    value_column_index=tf.lookup.TextFileIndex.WHOLE_LINE,
    delimiter="\t",
):
    """Returns a table from numbers to the words of a file.

    Args:
      vocabulary_file: the file's path.
      vocab_size: how many lines to read; None for all.
      default_value: the word of other numbers.
      name: the name of its operation.
      key_column_index, value_column_index: the columns of the numbers and the words,
        from 0, or one of ``tf.lookup.TextFileIndex``: a line's number, from 0, and the
        line.
      delimiter: what stands between the columns.
    """
    lines = tf.lookup.TextFileInitializer(
        vocabulary_file,
        tf.int64,
        key_column_index,
        tf.string,
        value_column_index,
        vocab_size,
        delimiter,
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
