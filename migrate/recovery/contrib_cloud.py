"""What ``tf.contrib.cloud`` had, which a program may name and never come to."""


def refused_cloud(*args, **options):
    """Raises a ValueError: the service is reached by another package."""
    raise ValueError(
        "tf.contrib.cloud is in no TensorFlow 2: read a Bigtable by the package "
        "tensorflow_io, and Cloud Storage by GOOGLE_APPLICATION_CREDENTIALS."
    )
