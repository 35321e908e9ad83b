"""Control flow, loops and transformations of programs."""

from registry import case, numbers


@case
def scan_backwards_with_gradient(jax, jnp):
    def loss(w, x):
        def step(h, x):
            h = jnp.tanh(h @ w + x)
            return h, h

        last, all_of_them = jax.lax.scan(step, jnp.zeros(4), x, reverse=True, unroll=2)
        return last.sum() + (all_of_them**2).mean()

    return jax.jit(jax.value_and_grad(loss, argnums=(0, 1)))(numbers(4, 4), numbers(6, 4, seed=1))


@case
def scan_with_checkpoint(jax, jnp):
    @jax.checkpoint
    def layer(x, w):
        return jnp.tanh(x @ w), None

    def loss(ws, x):
        return (jax.lax.scan(layer, x, ws)[0] ** 2).sum()

    return jax.jit(jax.grad(loss))(0.3 * numbers(5, 4, 4), numbers(3, 4, seed=1))


@case
def nested_loops(jax, jnp):
    def row(i, total):
        return jax.lax.fori_loop(0, i + 1, lambda j, t: t.at[i, j].add(i * 10.0 + j), total)

    return jax.jit(lambda: jax.lax.fori_loop(0, 5, row, jnp.zeros((5, 5))))()


@case
def cond_under_vmap_and_grad(jax, jnp):
    def f(x):
        return jax.lax.cond(x > 0, lambda v: jnp.sin(v) * v, lambda v: v**2, x)

    x = numbers(9)
    return jax.jit(jax.vmap(f))(x), jax.jit(jax.vmap(jax.grad(f)))(x)


@case
def while_under_vmap(jax, jnp):
    def halvings(x):
        return jax.lax.while_loop(lambda s: s[0] > 1.0, lambda s: (s[0] / 2, s[1] + 1), (x, 0))[1]

    return jax.jit(jax.vmap(halvings))(jnp.array([0.5, 3.0, 1000.0, 17.0]))


@case
def jacobians_and_hessians(jax, jnp):
    def f(x):
        return jnp.stack([x[0] * x[1], jnp.sin(x[2]) * x[0], jnp.exp(-x[1])])

    x = numbers(3)
    return jax.jacfwd(f)(x), jax.jacrev(f)(x), jax.hessian(lambda x: (f(x) ** 2).sum())(x)


@case
def custom_gradient(jax, jnp):
    @jax.custom_vjp
    def clipped(x):
        return x

    clipped.defvjp(lambda x: (x, None), lambda _, g: (jnp.clip(g, -0.1, 0.1),))
    return jax.jit(jax.grad(lambda x: (clipped(x) ** 2).sum()))(numbers(7))


@case
def associative_scan(jax, jnp):
    x = numbers(13, 2)
    return (jax.jit(lambda x: jax.lax.associative_scan(jnp.add, x))(x), jnp.cumprod(jnp.asarray(x), axis=0),
            jax.lax.cummax(jnp.asarray(x), axis=0), jax.lax.cumlogsumexp(jnp.asarray(x), axis=0))


@case
def map_in_batches(jax, jnp):
    return jax.jit(lambda x: jax.lax.map(lambda r: jnp.sort(r)[::-1], x, batch_size=3))(numbers(8, 5))


@case
def dynamic_slices(jax, jnp):
    def f(x, i):
        part = jax.lax.dynamic_slice(x, (i, 1), (2, 3))
        return jax.lax.dynamic_update_slice(x, part * 2, (0, i)), jax.lax.dynamic_index_in_dim(x, i, 1)

    return jax.jit(f)(numbers(6, 7), 3)
