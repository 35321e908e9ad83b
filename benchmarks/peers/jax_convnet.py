"""Step time of the MNIST convnet in JAX: one jitted step (forward, backward, Adam) on batches in host memory."""
import jax_platform
import timing

ARGS = timing.arguments(__doc__, filters=32, batch=200, steps=10, warm_up=3, platform="cpu", library="")
jax_platform.use(ARGS)
import jax
import jax_training
import numpy as np


def initial_params(rng, filters):
    def weights(*shape):
        return (rng.standard_normal(shape) / np.sqrt(np.prod(shape[:-1]))).astype(np.float32)

    shapes = [(3, 3, 1, filters), (3, 3, filters, filters), (24 * 24 * filters, 256), (256, 128), (128, 10)]
    return [(weights(*shape), np.zeros(shape[-1], np.float32)) for shape in shapes]


def loss_of(params, image, label):
    x = image
    for w, b in params[:2]:
        x = jax.lax.conv_general_dilated(x, w, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        x = jax.nn.relu(x + b)
    x = x.reshape(x.shape[0], -1)
    for w, b in params[2:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = params[-1]
    return jax_training.cross_entropy(x @ w + b, label)


def main():
    rng = np.random.default_rng(0)
    batches = [(rng.random((ARGS.batch, 28, 28, 1), np.float32), rng.integers(0, 10, ARGS.batch).astype(np.int32))
               for _ in range(4)]
    state = jax_training.adam_state(jax.device_put(initial_params(rng, ARGS.filters)))
    jax_training.measure(f"convnet{ARGS.filters}", ARGS, jax_training.adam_step(loss_of), state, batches,
                         batch=ARGS.batch)


main()
