"""Step time of the MLP 784-128-10 in JAX: one jitted step (forward, backward, Adam) on batches in memory.

Each step gets a new batch from host memory, as a training loop does, and waits for its loss. Parameters are donated.
"""
import functools
import os

import timing

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import jax.numpy as jnp
import numpy as np


def loss_of(params, image, label):
    hidden = jax.nn.relu(image @ params["w1"] + params["b1"])
    logits = hidden @ params["w2"] + params["b2"]
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), label[:, None], axis=1))


@functools.partial(jax.jit, donate_argnums=(0,))
def train_step(state, image, label):
    params, first, second, count = state
    loss, gradients = jax.value_and_grad(loss_of)(params, image, label)
    count = count + 1
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradients)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradients)
    rate = 1e-3 * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
    params = jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-7), params, first, second)
    return (params, first, second, count), loss


def initial_state(rng):
    params = {"w1": 0.05 * rng.standard_normal((784, 128), np.float32), "b1": np.zeros(128, np.float32),
              "w2": 0.05 * rng.standard_normal((128, 10), np.float32), "b2": np.zeros(10, np.float32)}
    zeros = jax.tree.map(np.zeros_like, params)
    return jax.device_put((params, zeros, jax.tree.map(np.zeros_like, params), np.float32(0)))


def main():
    args = timing.arguments(__doc__, batch=32, steps=2000, warm_up=200)
    rng = np.random.default_rng(0)
    images = rng.random((64, args.batch, 784), np.float32)
    labels = rng.integers(0, 10, (64, args.batch)).astype(np.int32)
    state = initial_state(rng)
    turn = 0

    def step():
        nonlocal state, turn
        turn += 1
        state, loss = train_step(state, images[turn % 64], labels[turn % 64])
        return float(loss)

    timing.report("mlp", "jax", jax.__version__, timing.step_times(step, args.warm_up, args.steps), batch=args.batch)


main()
