"""Rules that replace names of the Estimator API, contrib and TensorFlow 1 in each file of a program."""
