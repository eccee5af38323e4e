"""Programs of the forms that real ones resume in: each trains to an epoch, and goes on where it was stopped.

Each does something else at run time; ``tests/codemod/resume`` shows in which other ways such programs are written.
"""

IMPORTS = """\
import csv
import glob
import json
import os
import re
import sys

import tensorflow as tf
from job import BATCHES, build, compiled, given, record, x, y

"""
HEAD = f"""{IMPORTS}\
folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)
"""
SHAPES = {
    # A loop over epochs that trains batch by batch, and saves the weights after each epoch.
    "a_loop_of_batches": HEAD
    + """
tf.keras.utils.set_random_seed(1)
model = compiled(build())
first = 0
while os.path.exists(os.path.join(folder, f"{first + 1}.weights.h5")):
    first += 1
if first:
    model.load_weights(os.path.join(folder, f"{first}.weights.h5"))
record.set_model(model)
for epoch in range(first, epochs):
    record.on_epoch_begin(epoch)
    for batch in range(BATCHES):
        record.on_train_batch_begin(batch)
        model.train_on_batch(x[8 * batch : 8 * batch + 8], y[8 * batch : 8 * batch + 8])
        record.on_train_batch_end(batch)
    model.save_weights(os.path.join(folder, f"{epoch + 1}.weights.h5"))
""",
    # One epoch a call of fit, the weights saved after each.
    "a_loop_of_fits": HEAD
    + """
tf.keras.utils.set_random_seed(1)
model = compiled(build())
first = 0
files = sorted(glob.glob(os.path.join(folder, "*.weights.h5")))
if files:
    model.load_weights(files[-1])
    first = int(files[-1].split("-")[-1].split(".")[0])
for epoch in range(first, epochs):
    record.at = epoch
    model.fit(x, y, epochs=epoch + 1, initial_epoch=epoch, callbacks=[record], **given)
    model.save_weights(os.path.join(folder, f"w-{epoch + 1:02d}.weights.h5"))
""",
    # A loop that applies gradients, and saves a Checkpoint without a manager.
    "checkpoint_of_its_own": HEAD
    + """
tf.keras.utils.set_random_seed(1)
model = compiled(build())
model.optimizer.build(model.trainable_variables)
checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer)
newest = tf.train.latest_checkpoint(folder)
first = 0
if newest:
    checkpoint.restore(newest).assert_existing_objects_matched()
    first = int(newest.split("-")[-1])
loss = tf.keras.losses.MeanSquaredError()
record.set_model(model)
for epoch in range(first, epochs):
    record.on_epoch_begin(epoch)
    for batch in range(BATCHES):
        record.on_train_batch_begin(batch)
        part = slice(8 * batch, 8 * batch + 8)
        with tf.GradientTape() as tape:
            value = loss(y[part], model(x[part], training=True))
        gradients = tape.gradient(value, model.trainable_variables)
        model.optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        record.on_train_batch_end(batch)
    checkpoint.save(os.path.join(folder, "ckpt"))
""",
    # The epoch as the number of rows of a CSVLogger.
    "csv_rows": HEAD
    + """
log = os.path.join(folder, "log.csv")
path = os.path.join(folder, "last.weights.h5")
model = compiled(build())
first = 0
if os.path.exists(path) and os.path.exists(log):
    with open(log) as file:
        first = len(list(csv.DictReader(file)))
    model.load_weights(path)
saver = tf.keras.callbacks.ModelCheckpoint(path, save_weights_only=True)
logger = tf.keras.callbacks.CSVLogger(log, append=first > 0)
model.fit(x, y, epochs=epochs, initial_epoch=first, callbacks=[saver, logger, record], **given)
""",
    # The epoch in a JSON file that a LambdaCallback writes.
    "json_file": HEAD
    + """
progress = os.path.join(folder, "progress.json")
best = os.path.join(folder, "last.keras")
first = 0
if os.path.exists(best):
    model = tf.keras.models.load_model(best)
    if os.path.exists(progress):
        with open(progress) as file:
            first = json.load(file)["epochs"]
else:
    model = compiled(build())


def note(epoch, logs):
    with open(progress, "w") as file:
        json.dump({"epochs": epoch + 1}, file)


callbacks = [tf.keras.callbacks.ModelCheckpoint(best), tf.keras.callbacks.LambdaCallback(on_epoch_end=note), record]
model.fit(x, y, epochs=epochs, initial_epoch=first, callbacks=callbacks, **given)
""",
    # Weights in TensorFlow's format by tf.train.latest_checkpoint.
    "latest_checkpoint": HEAD
    + """
model = compiled(build())
newest = tf.train.latest_checkpoint(folder)
first = 0
if newest:
    status = model.load_weights(newest)
    status.expect_partial()
    first = int(newest.rpartition("-")[2])
saver = tf.keras.callbacks.ModelCheckpoint(os.path.join(folder, "cp-{epoch:04d}"), save_weights_only=True)
model.fit(x, y, epochs=epochs, initial_epoch=first, callbacks=[saver, record], **given)
""",
    # A directory that the job's platform keeps: an empty one is a start from scratch, as SageMaker's examples ask.
    "listed_directory": HEAD
    + """
def load_model_from_checkpoints(checkpoint_path):
    checkpoint_files = [file for file in os.listdir(checkpoint_path) if file.endswith(".keras")]
    epoch_numbers = [re.search(r"(\\.*[0-9])(?=\\.)", file).group() for file in checkpoint_files]
    max_epoch_number = max(epoch_numbers)
    max_epoch_filename = checkpoint_files[epoch_numbers.index(max_epoch_number)]
    loaded = tf.keras.models.load_model(f"{checkpoint_path}/{max_epoch_filename}")
    return loaded, int(max_epoch_number)


if not os.listdir(folder):
    model, first = build(), 0
else:
    model, first = load_model_from_checkpoints(folder)
compiled(model)
callbacks = []
callbacks.append(tf.keras.callbacks.ModelCheckpoint(folder + "/checkpoint-{epoch}.keras"))
callbacks.append(record)
model.fit(x, y, epochs=epochs, initial_epoch=first, callbacks=callbacks, **given)
""",
    # A model that is loaded to be trained or to predict, and a file that is read again at each start.
    "loaded_to_predict_too": HEAD
    + """
newest = os.path.join(folder, "newest.weights.h5")
count = os.path.join(folder, "epoch.txt")


class Save(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        self.model.save_weights(newest)
        with open(count + ".new", "w") as file:
            file.write(str(epoch + 1))
        os.replace(count + ".new", count)


model = compiled(build())
first = 0
if os.path.exists(count):
    model.load_weights(newest)
    with open(count) as file:
        first = int(file.read())
if "predict" in sys.argv:
    print(model.predict(x))
else:
    model.fit(x, y, epochs=epochs, initial_epoch=first, callbacks=[Save(), record], **given)
""",
    # Under a MirroredStrategy; the epoch in the name.
    "mirrored_strategy": HEAD
    + """
strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
with strategy.scope():
    model = compiled(build())
    files = sorted(glob.glob(os.path.join(folder, "*.weights.h5")))
    if files:
        model.load_weights(files[-1])
first = int(files[-1].split("-")[-1].split(".")[0]) if files else 0
print("at", first)
saver = tf.keras.callbacks.ModelCheckpoint(os.path.join(folder, "w-{epoch:02d}.weights.h5"), save_weights_only=True)
model.fit(x, y, epochs=epochs, initial_epoch=first, callbacks=[saver, record], **given)
""",
    # One HDF5 file of a whole model, and the epoch in a text file.
    "one_file": HEAD
    + """
def count(epoch, logs):
    with open(os.path.join(folder, "epoch"), "w") as file:
        file.write(str(epoch + 1))


path = os.path.join(folder, "last.h5")
first = 0
if os.path.exists(path):
    model = tf.keras.models.load_model(path)
    with open(os.path.join(folder, "epoch")) as file:
        first = int(file.read())
else:
    model = build()
compiled(model)
saver = tf.keras.callbacks.ModelCheckpoint(path)
counter = tf.keras.callbacks.LambdaCallback(on_epoch_end=count)
model.fit(x, y, epochs=epochs, initial_epoch=first, callbacks=[saver, counter, record], **given)
print("begun at", first)
""",
    # ModelCheckpoint that saves every so many batches, here those of two epochs.
    "saves_within_training": HEAD
    + """
model = compiled(build())
first = 0
found = glob.glob(os.path.join(folder, "at-*.weights.h5"))
if found:
    model.load_weights(sorted(found)[-1])
    first = 2 * len(found)
path = os.path.join(folder, "at-{epoch:02d}.weights.h5")
saver = tf.keras.callbacks.ModelCheckpoint(path, save_weights_only=True, save_freq=2 * BATCHES)
model.fit(x, y, epochs=epochs, initial_epoch=first, callbacks=[saver, record], **given)
print("begun at", first)
""",
    # The last of the sorted files, its epoch by split; told of after fit, too.
    "sorted_and_split": HEAD
    + """
model = compiled(build())
files = sorted(glob.glob(os.path.join(folder, "w-*.weights.h5")))
first = 0
if files:
    first = int(os.path.basename(files[-1]).split("-")[1].split(".")[0])
    model.load_weights(files[-1])
saver = tf.keras.callbacks.ModelCheckpoint(os.path.join(folder, "w-{epoch:02d}.weights.h5"), save_weights_only=True)
model.fit(x, y, epochs=epochs, initial_epoch=first, callbacks=[saver, record], **given)
print("begun at", first)
""",
    # Steps that a MirroredStrategy of two devices is given to run, by a method whose name is ``run`` as well.
    "steps_of_a_strategy": HEAD
    + """
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)


class Trainer:
    def __init__(self):
        self.strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
        with self.strategy.scope():
            self.model = compiled(build())
            self.optimizer = self.model.optimizer
            self.optimizer.build(self.model.trainable_variables)
        data = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)
        self.data = self.strategy.experimental_distribute_dataset(data)

    def step(self, inputs, labels):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((labels - self.model(inputs, training=True)) ** 2) / 8
        gradients = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables, strict=True))

    @tf.function
    def run(self, inputs, labels):
        self.strategy.run(self.step, args=(inputs, labels))

    def train(self):
        files = sorted(glob.glob(os.path.join(folder, "net-*.weights.h5")))
        if files:
            self.model.load_weights(files[-1])
        first = int(files[-1].split("-")[-1].split(".")[0]) if files else 0
        record.set_model(self.model)
        with self.strategy.scope():
            for epoch in range(first, epochs):
                record.on_epoch_begin(epoch)
                for batch, (inputs, labels) in enumerate(self.data):
                    record.on_train_batch_begin(batch)
                    self.run(inputs, labels)
                    record.on_train_batch_end(batch)
                self.model.save_weights(os.path.join(folder, f"net-{epoch + 1:02d}.weights.h5"))


assert BATCHES == 4
Trainer().train()
""",
    # A generator and a critic that a loop trains batch by batch, and saves after each epoch.
    "two_models": HEAD
    + """
tf.keras.utils.set_random_seed(1)
generator, critic = compiled(build()), compiled(build())
first = 0
while os.path.exists(os.path.join(folder, f"critic-{first + 1}.weights.h5")):
    first += 1
if first:
    generator.load_weights(os.path.join(folder, f"generator-{first}.weights.h5"))
    critic.load_weights(os.path.join(folder, f"critic-{first}.weights.h5"))


class Both:
    optimizer = generator.optimizer

    def get_weights(self):
        return generator.get_weights() + critic.get_weights()


record.set_model(Both())
for epoch in range(first, epochs):
    record.on_epoch_begin(epoch)
    for batch in range(BATCHES):
        record.on_train_batch_begin(batch)
        part = slice(8 * batch, 8 * batch + 8)
        critic.train_on_batch(x[part], y[part])
        generator.train_on_batch(x[part], critic(x[part]).numpy())
        record.on_train_batch_end(batch)
    generator.save_weights(os.path.join(folder, f"generator-{epoch + 1}.weights.h5"))
    critic.save_weights(os.path.join(folder, f"critic-{epoch + 1}.weights.h5"))
""",
    # Two models with an optimizer each, which a function steps that the loop gives them to.
    "two_tapes": HEAD
    + """
loss = tf.keras.losses.MeanSquaredError()


@tf.function
def step(first, second, first_optimizer, second_optimizer, data, labels):
    with tf.GradientTape(persistent=True) as tape:
        value, other = loss(labels, first(data, training=True)), loss(labels, second(data, training=True))
    gradients = tape.gradient(value, first.trainable_variables)
    first_optimizer.apply_gradients(zip(gradients, first.trainable_variables, strict=True))
    gradients = tape.gradient(other, second.trainable_variables)
    second_optimizer.apply_gradients(zip(gradients, second.trainable_variables, strict=True))


def train(first, second):
    first_optimizer = first.optimizer
    second_optimizer = tf.keras.optimizers.Adam(0.02)
    begin = 0
    files = sorted(glob.glob(os.path.join(folder, "second-*.weights.h5")))
    if files:
        begin = int(files[-1].split("-")[-1].split(".")[0])
        first.load_weights(os.path.join(folder, f"first-{begin}.weights.h5"))
        second.load_weights(files[-1])
    record.set_model(first)
    for epoch in range(begin, epochs):
        record.on_epoch_begin(epoch)
        for batch in range(BATCHES):
            record.on_train_batch_begin(batch)
            part = slice(8 * batch, 8 * batch + 8)
            step(first, second, first_optimizer, second_optimizer, x[part], y[part])
            record.on_train_batch_end(batch)
        first.save_weights(os.path.join(folder, f"first-{epoch + 1}.weights.h5"))
        second.save_weights(os.path.join(folder, f"second-{epoch + 1}.weights.h5"))


tf.keras.utils.set_random_seed(1)
train(compiled(build()), build())
""",
}
WITHOUT_A_RANGE = {
    "while_loop": HEAD
    + """
tf.keras.utils.set_random_seed(1)
model = compiled(build())
path = os.path.join(folder, "last.weights.h5")
if os.path.exists(path):
    model.load_weights(path)
record.set_model(model)
epoch = 0
while epoch < epochs:
    record.on_epoch_begin(epoch)
    for batch in range(BATCHES):
        record.on_train_batch_begin(batch)
        model.train_on_batch(x[8 * batch : 8 * batch + 8], y[8 * batch : 8 * batch + 8])
        record.on_train_batch_end(batch)
    model.save_weights(path)
    epoch += 1
""",
}
ASSIGNED = "epoch = 0\nwhile epoch <", "epoch = -1\nwhile (epoch := epoch + 1) <"
WITHOUT_A_RANGE["assigning_loop"] = WITHOUT_A_RANGE["while_loop"].replace(*ASSIGNED).replace("    epoch += 1\n", "")
OF_KERAS = (
    HEAD.replace("tensorflow as tf", "tf_keras as keras").replace("record,", "Record,").replace("build, compiled, ", "")
)
FIT = """
class RecordOfKeras(Record, keras.callbacks.Callback):
    pass


model = keras.Sequential([keras.layers.Dense(256, activation="relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.Adam(0.01), "mse")
model.build((None, 4))
path = os.path.join(folder, "last.weights.h5")
if os.path.exists(path):
    model.load_weights(path)
saver = keras.callbacks.ModelCheckpoint(path, save_weights_only=True)
model.fit(x, y, epochs=epochs, callbacks=[saver, RecordOfKeras()], **given)
"""
BY_NAME = {
    # Keras 3, imported as ``keras`` where ``tf.keras`` is Keras 2.
    "fit_of_keras_3": OF_KERAS.replace("tf_keras as keras", "keras")
    + FIT.replace("Record, keras.callbacks.Callback", "Record"),
    "fit_of_tf_keras": OF_KERAS + FIT,
    "loop_of_tf_keras": OF_KERAS
    + """
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(256, activation="relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.Adam(0.01), "mse")
path = os.path.join(folder, "last.weights.h5")
if os.path.exists(path):
    model.load_weights(path)
record = Record()
record.set_model(model)
for epoch in range(epochs):
    record.on_epoch_begin(epoch)
    for batch in range(BATCHES):
        record.on_train_batch_begin(batch)
        model.train_on_batch(x[8 * batch : 8 * batch + 8], y[8 * batch : 8 * batch + 8])
        record.on_train_batch_end(batch)
    model.save_weights(path)
""",
}
"""Programs that name a Keras beside that of TensorFlow, each with one file that every start saves."""
