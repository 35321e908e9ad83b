"""What the JAX programs share: Adam, and the times of a jitted training step."""
import time

import jax
import jax.numpy as jnp
import timing


def cross_entropy(logits, label):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), label[..., None], axis=-1))


def adam_state(params):
    zeros = jax.tree.map(jnp.zeros_like, params)
    return params, zeros, jax.tree.map(jnp.zeros_like, params), jnp.float32(0)


def adam_step(loss_of):
    """step(state, *batch) -> (state, loss), jitted; the state is donated."""

    def step(state, *batch):
        params, first, second, count = state
        loss, gradients = jax.value_and_grad(loss_of)(params, *batch)
        count = count + 1
        first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradients)
        second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradients)
        rate = 1e-3 * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
        params = jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-7), params, first, second)
        return (params, first, second, count), loss

    return jax.jit(step, donate_argnums=(0,))


def measure(work, args, step, state, batches, **more):
    """Compiles, then times steps that each take a batch from host memory and wait for their loss; prints the line."""
    start = time.perf_counter()
    lowered = step.lower(state, *batches[0])
    traced = time.perf_counter()
    lowered.compile()
    compile_ms = 1e3 * (time.perf_counter() - traced)
    losses, turn = [], 0

    def one():
        nonlocal state, turn
        state, loss = step(state, *batches[turn % len(batches)])
        losses.append(float(loss))
        turn += 1

    times = timing.step_times(one, args.warm_up, args.steps)
    timing.report(work, f"jax on {args.platform}", jax.__version__, times, compile_ms=round(compile_ms, 2),
                  trace_ms=round(1e3 * (traced - start), 2), last_loss=losses[-1], **more)
