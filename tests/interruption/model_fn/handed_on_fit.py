"""Trains an estimator that another file has made, and evaluates it."""


def fit(estimator, input_fn, max_steps):
    estimator.train(input_fn, max_steps=max_steps)
    metrics = estimator.evaluate(input_fn, steps=2)
    print(metrics["global_step"], float(metrics["error"]).hex(), float(metrics["loss"]).hex())
