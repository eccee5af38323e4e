"""Lookup tables of ``tf.contrib.lookup``."""

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
    """Returns a table from the words of a file to int64 numbers.

    Args:
      vocabulary_file: the file's path.
      num_oov_buckets: how many further numbers unknown words hash to, an int.
      vocab_size: how many lines to read; None for all.
      default_value: the number of unknown words without buckets; with buckets, any
        negative number.
      name: of the operation.
      key_column_index, value_column_index: the columns of words and numbers, from 0; or
        a ``tf.lookup.TextFileIndex``: the whole line, or its number from 0.
      delimiter: the character between columns.
    """
    words, numbers = (tf.string, key_column_index), (tf.int64, value_column_index)
    lines = tf.lookup.TextFileInitializer(
        vocabulary_file, *words, *numbers, vocab_size, delimiter
    )
    return _table(lines, num_oov_buckets, default_value, name)


def index_table_from_tensor(
    mapping, num_oov_buckets=0, default_value=-1, name=None, dtype=tf.string
):
    """Returns a table from each word to its index in ``mapping``.

    Args:
      mapping: a list or a tensor of words, or of integers.
      num_oov_buckets, default_value, name: as for ``index_table_from_file``.
      dtype: of the words; any integer type makes a table with int64 keys.
    """
    words = tf.convert_to_tensor(mapping, None if dtype.is_integer else dtype)
    words = tf.cast(words, tf.int64) if dtype.is_integer else words
    numbers = tf.range(tf.size(words, tf.int64), dtype=tf.int64)
    places = tf.lookup.KeyValueTensorInitializer(words, numbers)
    return _table(places, num_oov_buckets, default_value, name)


def _table(initializer, num_oov_buckets, default_value, name):
    if num_oov_buckets:
        if default_value >= 0:  # ambiguous: unknown words get a bucket's number
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
      default_value: the word of unknown numbers.
      key_column_index, value_column_index: the columns of numbers and words; these and
        the others are as for ``index_table_from_file``.
    """
    numbers, words = (tf.int64, key_column_index), (tf.string, value_column_index)
    lines = tf.lookup.TextFileInitializer(
        vocabulary_file, *numbers, *words, vocab_size, delimiter
    )
    return tf.lookup.StaticHashTable(lines, default_value, name=name)


def index_to_string_table_from_tensor(mapping, default_value="UNK", name=None):
    """Returns a table from the indices of ``mapping`` to its words.

    Args:
      mapping: a list or a tensor of words.
      default_value: the word of unknown numbers.
      name: of the operation.
    """
    words = tf.convert_to_tensor(mapping, tf.string)
    numbers = tf.range(tf.size(words, tf.int64), dtype=tf.int64)
    places = tf.lookup.KeyValueTensorInitializer(numbers, words)
    return tf.lookup.StaticHashTable(places, default_value, name=name)
