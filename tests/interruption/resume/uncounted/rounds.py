"""As many rounds of fit at each start, the weights saved after each in one file."""

import os
import sys

from job import build, compiled, given, record, x, y

folder, epochs = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)
path = os.path.join(folder, "round.weights.h5")

model = compiled(build())
if os.path.isfile(path):
    model.load_weights(path)
for round_number in range(epochs):
    model.fit(x, y, epochs=round_number + 1, initial_epoch=round_number, callbacks=[record], **given)
    model.save_weights(path)
