"""Batches of like elements, by queues, as ``tf.contrib.training`` made them."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1


def bucket(
    tensors,
    which_bucket,
    batch_size,
    num_buckets,
    num_threads=1,
    capacity=32,
    bucket_capacities=None,
    shapes=None,
    dynamic_pad=False,
    allow_smaller_final_batch=False,
    keep_input=True,
    shared_name=None,
    name=None,
):
    """Returns the number of a bucket, and a batch of its elements.

    Args:
      tensors: a list or a dict of tensors, one element; none of them sparse.
      which_bucket: the number of its bucket, an int32.
      batch_size: how many elements a batch has; or a list, with a number for each
        bucket.
      num_buckets: how many buckets there are.
      num_threads: how many threads read elements.
      capacity: how many batches wait at most, and how many elements in each bucket.
      bucket_capacities: a list, with the number of elements for each bucket.
      shapes: those of an element's tensors; None where the tensors tell.
      dynamic_pad: whether shorter tensors are padded to a batch's longest.
      allow_smaller_final_batch: whether what is left at the end makes batches, too.
      keep_input: a bool, whether the element is kept.
      shared_name: the name of the queues for several sessions.
      name: a name for the operations.

    Raises:
      ValueError: a list has another length than num_buckets, or a tensor is sparse.
    """
    has_one_size = not isinstance(batch_size, (list, tuple))
    sizes = [batch_size] * num_buckets if has_one_size else list(batch_size)
    capacities = bucket_capacities or [capacity] * num_buckets
    if len(sizes) != num_buckets or len(capacities) != num_buckets:
        raise ValueError(f"A list for buckets must have {num_buckets} elements.")
    keys = sorted(tensors, key=str) if isinstance(tensors, dict) else None
    given = tensors if keys is None else [tensors[key] for key in keys]
    with tf1.name_scope(name, "bucket", given):
        element = [_not_sparse(one) for one in given]
        types = [one.dtype for one in element]
        shapes = [one.shape for one in element] if shapes is None else shapes
        shapes = [tf.TensorShape(shape) for shape in shapes]
        kind = tf.queue.PaddingFIFOQueue if dynamic_pad else tf.queue.FIFOQueue
        queues = _queues(kind, capacities, types, shapes, shared_name)
        is_fixed = has_one_size and not allow_smaller_final_batch
        batches = _top_queue(
            sizes[0] if is_fixed else None, capacity, types, shapes, shared_name
        )
        _make_batches(queues, sizes, allow_smaller_final_batch, batches)
        put = _put(queues, tf.cast(which_bucket, tf.int32), element, keep_input)
        _run(batches, [put] * num_threads, queues)
        _summarize_queues(queues, batches, capacity)
        number, *batch = batches.dequeue(name="dequeue_top")
    if keys is not None:
        return number, dict(zip(keys, batch))
    return number, batch[0] if len(batch) == 1 else batch


def _queues(kind, capacities, types, shapes, shared_name):
    """Makes the queue of each bucket."""
    names = [
        f"{shared_name}_{n}" if shared_name else None for n in range(len(capacities))
    ]
    return [
        kind(capacity, types, shapes, shared_name=shared, name=f"bucket_queue_{number}")
        for number, (capacity, shared) in enumerate(zip(capacities, names))
    ]


def _top_queue(size, capacity, types, shapes, shared_name):
    """Makes the queue of the batches; ``size`` is their one size, None if they differ."""
    fixed = None if size is None else tf.get_static_value(tf.convert_to_tensor(size))
    batch = [tf.TensorShape([fixed]).concatenate(shape) for shape in shapes]
    return tf.queue.PaddingFIFOQueue(
        capacity,
        [tf.int32, *types],
        [tf.TensorShape([]), *batch],
        shared_name=shared_name,
        name="top_queue",
    )


def bucket_by_sequence_length(
    input_length,
    tensors,
    batch_size,
    bucket_boundaries,
    num_threads=1,
    capacity=32,
    bucket_capacities=None,
    shapes=None,
    dynamic_pad=False,
    allow_smaller_final_batch=False,
    keep_input=True,
    shared_name=None,
    name=None,
):
    """Returns the lengths of a batch of elements of like length, and the batch.

    Args:
      input_length: the length of the element, an int32.
      tensors: a list or a dict of tensors, the element.
      bucket_boundaries: a list of ints that rise: where a length's bucket begins.
      batch_size, num_threads, capacity, bucket_capacities, shapes, dynamic_pad,
        allow_smaller_final_batch, keep_input, shared_name, name: as for ``bucket``;
        there is one bucket more than boundaries.

    Raises:
      TypeError, ValueError: the boundaries are no list of ints that rise.
    """
    if not isinstance(bucket_boundaries, (list, tuple)):
        raise TypeError(f"bucket_boundaries must be a list: {bucket_boundaries}.")
    if not all(isinstance(one, int) for one in bucket_boundaries):
        raise TypeError(f"bucket boundaries must be integers: {bucket_boundaries}.")
    if not bucket_boundaries or list(bucket_boundaries) != sorted(
        set(bucket_boundaries)
    ):
        raise ValueError(f"bucket_boundaries must rise: {bucket_boundaries}.")
    keys = sorted(tensors, key=str) if isinstance(tensors, dict) else None
    given = list(tensors) if keys is None else [tensors[key] for key in keys]
    with tf1.name_scope(name, "bucket_by_sequence_length", [input_length, *given]):
        length = tf.cast(input_length, tf.int32)
        which = tf.reduce_sum(tf.cast(length >= list(bucket_boundaries), tf.int32))
        _, (lengths, *batch) = bucket(
            [length, *given],
            which,
            batch_size,
            len(bucket_boundaries) + 1,
            num_threads,
            capacity,
            bucket_capacities,
            None if shapes is None else [[], *shapes],
            dynamic_pad,
            allow_smaller_final_batch,
            keep_input,
            shared_name,
        )
    return lengths, batch if keys is None else dict(zip(keys, batch))


def _not_sparse(tensor):
    if isinstance(tensor, (tf.SparseTensor, tf1.SparseTensorValue)):
        raise ValueError(f"Buckets of sparse tensors are not supported: {tensor}.")
    return tf.convert_to_tensor(tensor)


def _put(queues, which_bucket, element, keep_input):
    """Returns what puts the element into its bucket, if it is kept."""

    def put():
        return tf.group(
            *[
                tf1.cond(
                    tf.equal(which_bucket, number),
                    lambda queue=queue: queue.enqueue(element),
                    tf.no_op,
                )
                for number, queue in enumerate(queues)
            ],
            name="group_enqueues",
        )

    keep_input = tf.convert_to_tensor(keep_input)
    is_kept = tf.get_static_value(keep_input)
    if is_kept is None:
        return tf1.cond(keep_input, put, tf.no_op)
    return put() if is_kept else tf.no_op()


def _make_batches(queues, sizes, is_smaller_allowed, batches):
    """Runs what makes a batch of each bucket that is full."""

    def batch(number):
        queue = queues[number]
        take = queue.dequeue_up_to if is_smaller_allowed else queue.dequeue_many
        taken = take(sizes[number], name=f"read_bucket_{number}")
        taken = taken if isinstance(taken, (list, tuple)) else [taken]
        return batches.enqueue(
            [tf.constant(number), *taken], name=f"enqueue_from_bucket_{number}"
        )

    _run(queues[0], [batch(number) for number in range(len(queues))], [batches])


def _run(queue, operations, ended):
    """Has threads run operations; when the first ends, some queues are closed."""
    tf1.train.add_queue_runner(
        tf1.train.QueueRunner(
            queue,
            operations,
            close_op=tf.group(*[one.close() for one in ended]),
            cancel_op=tf.group(
                *[one.close(cancel_pending_enqueues=True) for one in ended]
            ),
            queue_closed_exception_types=(
                tf.errors.OutOfRangeError,
                tf.errors.CancelledError,
            ),
        )
    )


def _summarize_queues(queues, batches, capacity):
    size = tf.cast(batches.size(), tf.float32)
    for queue in queues:  # contrib, too, gave each the number of batches that wait
        tf1.summary.scalar(f"bucket/{queue.name}/size", size)
    name = f"bucket/{batches.name}/fraction_of_{capacity}_full"
    tf1.summary.scalar(name, size * (1.0 / capacity))
