"""Step time of the MLP 784-128-10 in JAX: one jitted step (forward, backward, Adam) on batches in memory.

Each step gets a new batch from host memory, as a training loop does, and waits for its loss. Parameters are donated.
"""
import jax_platform
import timing

ARGS = timing.arguments(__doc__, batch=32, steps=2000, warm_up=200, platform="cpu", library="")
jax_platform.use(ARGS)
import jax
import jax_training
import numpy as np


def loss_of(params, image, label):
    hidden = jax.nn.relu(image @ params["w1"] + params["b1"])
    return jax_training.cross_entropy(hidden @ params["w2"] + params["b2"], label)


def initial_params(rng):
    return {"w1": 0.05 * rng.standard_normal((784, 128), np.float32), "b1": np.zeros(128, np.float32),
            "w2": 0.05 * rng.standard_normal((128, 10), np.float32), "b2": np.zeros(10, np.float32)}


def main():
    rng = np.random.default_rng(0)
    batches = [(rng.random((ARGS.batch, 784), np.float32), rng.integers(0, 10, ARGS.batch).astype(np.int32))
               for _ in range(64)]
    state = jax_training.adam_state(jax.device_put(initial_params(rng)))
    jax_training.measure("mlp", ARGS, jax_training.adam_step(loss_of), state, batches, batch=ARGS.batch)


main()
