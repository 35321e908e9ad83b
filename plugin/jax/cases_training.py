"""Training with Flax and Optax, as their users write it."""

import functools

import numpy as np
from registry import case, needs, numbers


def digits(count, seed):
    """Images of 28 x 28 with a bright bar whose place tells the class, and noise."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 10, count)
    images = 0.1 * rng.random((count, 28, 28, 1), np.float32)
    for image, label in zip(images, labels):
        image[2 * label + 3: 2 * label + 6, 5:23] += 0.8
    return images, labels.astype(np.int32)


@case
@needs("flax", "optax")
def flax_mnist_convnet(jax, jnp):
    """The convnet of Flax's MNIST example: losses of 12 steps of SGD with momentum."""
    import flax.linen as nn
    import optax

    class Convnet(nn.Module):
        @nn.compact
        def __call__(self, x):
            for features in (32, 64):
                x = nn.relu(nn.Conv(features=features, kernel_size=(3, 3))(x))
                x = nn.avg_pool(x, window_shape=(2, 2), strides=(2, 2))
            x = nn.relu(nn.Dense(256)(x.reshape((x.shape[0], -1))))
            return nn.Dense(10)(x)

    model, optimizer = Convnet(), optax.sgd(0.05, 0.9)
    params = model.init(jax.random.key(0), jnp.ones((1, 28, 28, 1)))["params"]

    @functools.partial(jax.jit, donate_argnums=(0, 1))
    def step(params, state, images, labels):
        def loss_of(params):
            logits = model.apply({"params": params}, images)
            return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean(), logits

        (loss, logits), gradients = jax.value_and_grad(loss_of, has_aux=True)(params)
        updates, state = optimizer.update(gradients, state, params)
        return optax.apply_updates(params, updates), state, loss, (logits.argmax(-1) == labels).mean()

    state, losses = optimizer.init(params), []
    for index in range(12):
        params, state, loss, _ = step(params, state, *digits(64, index))
        losses.append(loss)
    assert losses[-1] < 0.6 * losses[0], losses
    return losses


@case
@needs("flax", "optax")
def flax_nnx_with_batch_norm_and_dropout(jax, jnp):
    import optax
    from flax import nnx

    class Net(nnx.Module):
        def __init__(self, rngs):
            self.conv = nnx.Conv(1, 8, kernel_size=(3, 3), strides=2, rngs=rngs)
            self.norm = nnx.BatchNorm(8, rngs=rngs)
            self.dropout = nnx.Dropout(0.25, rngs=rngs)
            self.dense = nnx.Linear(14 * 14 * 8, 10, rngs=rngs)

        def __call__(self, x):
            x = self.dropout(nnx.relu(self.norm(self.conv(x))))
            return self.dense(x.reshape(x.shape[0], -1))

    net = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(net, optax.adamw(1e-3), wrt=nnx.Param)

    @nnx.jit
    def step(net, optimizer, images, labels):
        def loss_of(net):
            return optax.softmax_cross_entropy_with_integer_labels(net(images), labels).mean()

        loss, gradients = nnx.value_and_grad(loss_of)(net)
        optimizer.update(net, gradients)
        return loss

    return [step(net, optimizer, *digits(32, index)) for index in range(4)]


@case
@needs("flax", "optax")
def flax_attention(jax, jnp):
    """An encoder block of linen's own layers, with a learning rate schedule and clipped gradients."""
    import flax.linen as nn
    import optax

    class Block(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = x + nn.MultiHeadDotProductAttention(num_heads=4)(nn.LayerNorm()(x))
            return x + nn.Dense(16)(nn.gelu(nn.Dense(32)(nn.LayerNorm()(x))))

    model, x, y = Block(), numbers(4, 9, 16), numbers(4, 9, 16, seed=1)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(optax.cosine_decay_schedule(1e-2, 10)))
    params = model.init(jax.random.key(2), x)

    @jax.jit
    def step(params, state):
        loss, gradients = jax.value_and_grad(lambda p: ((model.apply(p, x) - y) ** 2).mean())(params)
        updates, state = optimizer.update(gradients, state)
        return optax.apply_updates(params, updates), state, loss

    state, losses = optimizer.init(params), []
    for _ in range(5):
        params, state, loss = step(params, state)
        losses.append(loss)
    return losses


@case
@needs("flax")
def flax_recurrent(jax, jnp):
    import flax.linen as nn

    model = nn.RNN(nn.LSTMCell(8))
    x = numbers(3, 7, 5)
    params = model.init(jax.random.key(0), x)
    return jax.jit(jax.value_and_grad(lambda p: (model.apply(p, x) ** 2).mean()))(params)


@case
@needs("optax")
def optimizers(jax, jnp):
    import optax

    def target(p):
        return ((p["w"] - 1) ** 2).sum() + (p["b"] ** 4).sum()

    results = []
    for optimizer in (optax.sgd(0.1, nesterov=True, momentum=0.9), optax.adam(0.1), optax.rmsprop(0.01),
                      optax.adagrad(0.1), optax.lamb(0.1), optax.lion(0.01), optax.adafactor(0.1)):
        params = {"w": jnp.asarray(numbers(4, 3)), "b": jnp.asarray(numbers(3, seed=1))}
        state = optimizer.init(params)

        @jax.jit
        def step(params, state):
            updates, state = optimizer.update(jax.grad(target)(params), state, params)
            return optax.apply_updates(params, updates), state

        for _ in range(4):
            params, state = step(params, state)
        results.append(params)
    return results
