"""Models, optimizers, trainings and checkpoints of Keras code."""
