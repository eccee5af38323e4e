"""MNIST is read, taken apart, shuffled and cut into batches as TensorFlow 1.15.5 did, bit for bit."""

import gzip
import hashlib
import struct

import numpy as np
import pytest

from migrate.recovery.learn.mnist import load_dataset, read_data_sets

OF_TENSORFLOW_1 = {"flat": "abb6638b1e1290f4", "one-hot": "d90c5867d44cd42f"}
"""What ``digest`` gave for the files of ``write`` under TensorFlow 1.15.5."""
OPTIONS = {"flat": {}, "one-hot": {"one_hot": True, "reshape": False}}
BATCHES = (3, True), (20, True), (9, True), (5, False), (26, True), (1, True)


def write(folder):
    """Small files in MNIST's format."""
    random = np.random.RandomState(3)
    for name, count in (("train", 30), ("t10k", 7)):
        with gzip.open(folder / f"{name}-images-idx3-ubyte.gz", "wb") as file:
            images = random.randint(0, 256, count * 784).astype("uint8")
            file.write(struct.pack(">4I", 2051, count, 28, 28) + images.tobytes())
        with gzip.open(folder / f"{name}-labels-idx1-ubyte.gz", "wb") as file:
            labels = random.randint(0, 10, count).astype("uint8")
            file.write(struct.pack(">2I", 2049, count) + labels.tobytes())


@pytest.mark.parametrize("how", OPTIONS)
def test_all_parts_and_batches_are_those_of_tensorflow_1(tmp_path, how):
    write(tmp_path)
    found = hashlib.sha256()
    for part in read_data_sets(str(tmp_path), validation_size=4, seed=5, **OPTIONS[how]):
        kinds = str(part.images.dtype), str(part.labels.dtype)
        found.update(repr((part.num_examples, part.images.shape, *kinds)).encode())
        for size, shuffle in BATCHES:
            if size <= part.num_examples:
                for array in part.next_batch(size, shuffle=shuffle):
                    found.update(np.ascontiguousarray(array).tobytes())
        found.update(repr(part.epochs_completed).encode())
    assert found.hexdigest()[:16] == OF_TENSORFLOW_1[how]


def test_what_is_not_mnist_is_refused(tmp_path):
    write(tmp_path)
    (tmp_path / "train-labels-idx1-ubyte.gz").write_bytes((tmp_path / "t10k-images-idx3-ubyte.gz").read_bytes())
    with pytest.raises(ValueError, match="Invalid magic number 2051"):
        read_data_sets(str(tmp_path))
    with pytest.raises(ValueError, match="iris"):
        load_dataset("iris")
