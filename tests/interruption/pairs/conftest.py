import numpy as np
import pytest


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """The path of 600 small images in MNIST's layout, of which 10 batches of 50 are all different."""
    random = np.random.RandomState(0)
    path = tmp_path_factory.mktemp("data") / "mnist.npz"
    images = random.randint(0, 256, (660, 28, 28), dtype=np.uint8)
    labels = random.randint(0, 10, 660, dtype=np.uint8)
    np.savez(path, x_train=images[:600], y_train=labels[:600], x_test=images[600:], y_test=labels[600:])
    return path
