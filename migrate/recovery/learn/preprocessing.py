"""The vocabularies of documents that ``tf.contrib.learn`` had, and their files."""

import collections
import io
import itertools
import pickle
import re

import tensorflow.compat.v1 as tf1


def tokenizer(documents):
    """Yields the words of each document."""
    words = r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+"
    for document in documents:
        yield re.findall(words, document)


class CategoricalVocabulary:
    """Numbers words in their order, or by how frequent they are.

    Args:
      unknown_token: the word with the number 0.
      support_reverse: whether to keep the words by their numbers too.
    """

    def __init__(self, unknown_token="<UNK>", support_reverse=True):
        self._unknown_token, self._support_reverse = unknown_token, support_reverse
        self._freq, self._freeze = collections.defaultdict(int), False
        self._start()

    def _start(self):
        self._mapping = {self._unknown_token: 0}
        if self._support_reverse:
            self._reverse_mapping = [self._unknown_token]

    def __len__(self):
        return len(self._mapping)

    def freeze(self, freeze=True):
        """Stops, or goes on, giving numbers to new words."""
        self._freeze = freeze

    def get(self, category):
        """Returns the number of a word, a new one for a new word, or 0."""
        if category not in self._mapping:
            if self._freeze:
                return 0
            self._append(category)
        return self._mapping[category]

    def _append(self, category):
        self._mapping[category] = len(self._mapping)
        if self._support_reverse:
            self._reverse_mapping.append(category)

    def add(self, category, count=1):
        """Counts a word."""
        if self.get(category) > 0:
            self._freq[category] += count

    def trim(self, min_frequency, max_frequency=-1):
        """Keeps words that come more often, the most frequent first."""
        by_name = sorted(
            self._freq.items(), key=lambda one: (isinstance(one[0], str), one[0])
        )
        by_count = sorted(by_name, key=lambda one: one[1], reverse=True)
        self._start()
        for category, count in by_count:
            if max_frequency > 0 and count >= max_frequency:
                continue
            if count <= min_frequency:
                break
            self._append(category)
        self._freq = dict(by_count[: len(self._mapping) - 1])

    def reverse(self, class_id):
        """Returns the word of a number."""
        if not self._support_reverse:
            raise ValueError("The vocabulary keeps no words by their numbers.")
        return self._reverse_mapping[class_id]


class VocabularyProcessor:
    """Takes documents to the numbers of their words.

    Args:
      max_document_length: the words of a document that are kept; it is filled with 0.
      min_frequency: words that come more often than that are numbered.
      vocabulary: a ``CategoricalVocabulary``; None for a new one.
      tokenizer_fn: takes documents to lists of words; None for ``tokenizer``.
    """

    def __init__(
        self, max_document_length, min_frequency=0, vocabulary=None, tokenizer_fn=None
    ):
        self.max_document_length = max_document_length
        self.min_frequency = min_frequency
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents, unused_y=None):
        """Learns the words of documents; returns itself."""
        for tokens in self._tokenizer(raw_documents):
            for token in tokens:
                self.vocabulary_.add(token)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents, unused_y=None):
        """Learns the words of documents; returns what ``transform`` does."""
        return self.fit(raw_documents).transform(raw_documents)

    def transform(self, raw_documents):
        """Yields an array of int64, [max_document_length], for each document."""
        size = self.max_document_length
        for tokens in self._tokenizer(raw_documents):
            ids = [self.vocabulary_.get(one) for one in itertools.islice(tokens, size)]
            ids += [0] * (size - len(ids))
            yield tf1.make_ndarray(tf1.make_tensor_proto(ids, tf1.int64, [size]))

    def reverse(self, documents):
        """Yields the words of each list of numbers, in one string."""
        for item in documents:
            yield " ".join(self.vocabulary_.reverse(one) for one in item)

    def save(self, filename):
        """Writes itself to a file."""
        with tf1.gfile.Open(filename, "wb") as file:
            file.write(pickle.dumps(self))

    @classmethod
    def restore(cls, filename):
        """Returns what a file keeps, also one that TensorFlow 1 wrote."""
        with tf1.gfile.Open(filename, "rb") as file:
            return _Unpickler(io.BytesIO(file.read())).load()


class _Unpickler(pickle.Unpickler):
    def find_class(self, module, name):
        if module.startswith("tensorflow.contrib.learn."):
            return {
                "CategoricalVocabulary": CategoricalVocabulary,
                "VocabularyProcessor": VocabularyProcessor,
                "tokenizer": tokenizer,
            }[name]
        return super().find_class(module, name)
