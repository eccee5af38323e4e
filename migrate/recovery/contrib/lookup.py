"""Tables of ``tf.contrib.lookup``."""

import tensorflow as tf


def index_table_from_file(
    vocabulary_file,
    num_oov_buckets=0,
    vocab_size=None,
    default_value=-1,
    name=None,
    key_column_index=tf.lookup.TextFileIndex.WHOLE_LINE,
    value_column_index=tf.lookup.TextFileIndex.LINE_NUMBER,
    delimiter="\t",
):
    """Returns a table from the words of a file to numbers.

    Args:
      vocabulary_file: the file's path.
      num_oov_buckets: how many numbers above those to share among other words.
      vocab_size: how many lines to read; None for all.
      default_value: the number of other words, where there are no buckets; with them
        a negative number.
      name: the name of its operation.
      key_column_index, value_column_index: the columns of the words and the numbers,
        from 0, or one of ``tf.lookup.TextFileIndex``: the line and its number, from 0.
      delimiter: what stands between the columns.
    """
    lines = tf.lookup.TextFileInitializer(
        vocabulary_file,
        tf.string,
        key_column_index,
        tf.int64,
        value_column_index,
        vocab_size,
        delimiter,
    )
    return _table(lines, num_oov_buckets, default_value, name)


def index_table_from_tensor(
    mapping, num_oov_buckets=0, default_value=-1, name=None, dtype=tf.string
):
    """Returns a table from each word to its place in ``mapping``, from 0.

    Args:
      mapping: a list or a tensor of words, or of integers.
      num_oov_buckets, default_value, name: as of ``index_table_from_file``.
      dtype: of the words, where they are integers; those looked up are int64 then.
    """
    words = tf.convert_to_tensor(mapping, None if dtype.is_integer else dtype)
    words = tf.cast(words, tf.int64) if dtype.is_integer else words
    numbers = tf.range(tf.size(words, tf.int64), dtype=tf.int64)
    places = tf.lookup.KeyValueTensorInitializer(words, numbers)
    return _table(places, num_oov_buckets, default_value, name)


def _table(initializer, num_oov_buckets, default_value, name):
    if num_oov_buckets:
        if default_value >= 0:  # its word went to the buckets too
            raise ValueError("With num_oov_buckets, default_value must be negative.")
        buckets = tf.lookup.StaticVocabularyTable
        return buckets(initializer, num_oov_buckets, name=name)
    return tf.lookup.StaticHashTable(initializer, default_value, name=name)


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
      default_value: the word of other numbers.
      key_column_index, value_column_index: the columns of the numbers and the words;
        they and the others are as of ``index_table_from_file``.
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
