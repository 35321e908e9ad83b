"""Writes data/optimizers.json and data/schedules.json: five steps of Keras's optimizers, and the
rates that its schedules give.

    python tests/golden/make_optimizers.py    (TensorFlow 2.21)

tests/golden/optimizers_golden_test.cc has the same tables under the same names.
"""
from golden_values import Numbers, number, tensor, write

import keras
import tensorflow as tf

draw = Numbers(seed=11)
START = [draw(2, 3), draw(2)]
GRADIENTS = [[draw(2, 3), draw(2)] for _ in range(5)]
schedules = keras.optimizers.schedules

# name: (class, arguments)
OPTIMIZERS = {
    "sgd": ("SGD", {}),
    "sgd, momentum": ("SGD", {"learning_rate": 0.1, "momentum": 0.9}),
    "sgd, nesterov": ("SGD", {"learning_rate": 0.1, "momentum": 0.8, "nesterov": True}),
    "sgd, weight decay": ("SGD", {"learning_rate": 0.1, "momentum": 0.5, "weight_decay": 0.05}),
    "adam": ("Adam", {"learning_rate": 0.01}),
    "adam, other betas": ("Adam", {"learning_rate": 0.1, "beta_1": 0.7, "beta_2": 0.9,
                                   "epsilon": 1e-3}),
    "adam, amsgrad": ("Adam", {"learning_rate": 0.05, "amsgrad": True, "beta_2": 0.5}),
    "adam, weight decay": ("Adam", {"learning_rate": 0.05, "weight_decay": 0.1}),
    "adamw": ("AdamW", {"learning_rate": 0.05}),
    "adamw, more decay": ("AdamW", {"learning_rate": 0.05, "weight_decay": 0.3}),
    "rmsprop": ("RMSprop", {"learning_rate": 0.01}),
    "rmsprop, momentum": ("RMSprop", {"learning_rate": 0.01, "momentum": 0.6, "rho": 0.8}),
    "rmsprop, centered": ("RMSprop", {"learning_rate": 0.01, "centered": True}),
    "rmsprop, all": ("RMSprop", {"learning_rate": 0.02, "centered": True, "momentum": 0.5,
                                 "epsilon": 1e-3, "weight_decay": 0.01}),
    "adagrad": ("Adagrad", {"learning_rate": 0.1}),
    "adagrad, from 0.5": ("Adagrad", {"learning_rate": 0.1, "initial_accumulator_value": 0.5,
                                      "weight_decay": 0.02}),
    "lamb": ("Lamb", {"learning_rate": 0.05}),
    "lamb, weight decay": ("Lamb", {"learning_rate": 0.05, "weight_decay": 0.1, "beta_1": 0.8}),
    "clipped by norm": ("SGD", {"learning_rate": 0.1, "clipnorm": 1.5}),
    "clipped by value": ("SGD", {"learning_rate": 0.1, "clipvalue": 0.75}),
    "clipped by the norm of all": ("SGD", {"learning_rate": 0.1, "global_clipnorm": 2.0}),
    "norms too small to clip": ("SGD", {"learning_rate": 0.1, "global_clipnorm": 100.0}),
    "adam, clipped by the norm of all": ("Adam", {"learning_rate": 0.1, "global_clipnorm": 1.0}),
    "scheduled": ("Adam", {"learning_rate": schedules.ExponentialDecay(0.1, 2, 0.5)}),
    "accumulated over 2": ("AdamW", {"learning_rate": 0.05, "clipnorm": 1.5,
                                     "gradient_accumulation_steps": 2}),
    "accumulated over 2, scheduled": (
        "Adam", {"learning_rate": schedules.ExponentialDecay(0.1, 2, 0.5),
                 "gradient_accumulation_steps": 2}),
}

SCHEDULES = {
    "exponential": schedules.ExponentialDecay(0.1, 10, 0.5),
    "exponential, staircase": schedules.ExponentialDecay(0.1, 10, 0.5, staircase=True),
    "cosine": schedules.CosineDecay(0.1, 20),
    "cosine, alpha": schedules.CosineDecay(0.1, 20, alpha=0.2),
    "cosine, warm-up": schedules.CosineDecay(0.01, 20, alpha=0.1, warmup_target=0.2,
                                             warmup_steps=7),
    "cosine, no warm-up steps": schedules.CosineDecay(0.01, 20, warmup_target=0.2, warmup_steps=0),
    "piecewise": schedules.PiecewiseConstantDecay([3, 10, 25], [1.0, 0.5, 0.25, 0.01]),
    "polynomial": schedules.PolynomialDecay(0.1, 20),
    "polynomial, squared": schedules.PolynomialDecay(0.1, 20, end_learning_rate=0.02, power=2.0),
    "polynomial, cycling": schedules.PolynomialDecay(0.1, 8, end_learning_rate=0.01, power=0.5,
                                                     cycle=True),
}
STEPS = [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 15, 16, 17, 20, 24, 25, 26, 27, 30, 50, 1000]


def optimizer_case(name):
    kind, arguments = OPTIMIZERS[name]
    optimizer = getattr(keras.optimizers, kind)(**arguments)
    variables = [keras.Variable(value) for value in START]
    steps = []
    for gradients in GRADIENTS:
        optimizer.apply_gradients(zip([tf.constant(g) for g in gradients], variables))
        steps.append([tensor(variable.numpy()) for variable in variables])
    return {"optimizer": name, "steps": steps}


def schedule_case(name):
    rates = [number(SCHEDULES[name](tf.constant(step, tf.float32))) for step in STEPS]
    return {"schedule": name, "rates": rates}


if __name__ == "__main__":
    write("optimizers", {"start": [tensor(x) for x in START],
                         "gradients": [[tensor(x) for x in step] for step in GRADIENTS],
                         "cases": [optimizer_case(name) for name in OPTIMIZERS]})
    write("schedules", {"steps": STEPS, "cases": [schedule_case(name) for name in SCHEDULES]})
