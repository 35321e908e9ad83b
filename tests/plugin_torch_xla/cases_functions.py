"""Tensor programs: views and writes in place, indexing, types, sorting, linear algebra, random numbers."""

import torch
from registry import case, integers, numbers, sync, to
from torch.nn import functional as F


@case
def writes_in_place_and_views(device, dtype):
    (x,) = to(device, dtype, numbers(6, 8))
    x[1:3, ::2] += 1
    x.view(3, 16)[:, 3].mul_(2)
    x.t()[0].zero_()
    sync(device)
    x[:, 5:].copy_(x[:, :3])
    x.masked_fill_(x > 1, 0.5)
    row = x[2]
    x.add_(1)
    halves = x.chunk(2, dim=1)
    halves[1].clamp_(min=0)
    y = torch.zeros_like(x).index_add_(0, torch.tensor([1, 1, 4], device=device), x[:3])
    z = y.scatter(1, torch.tensor([[0, 3]], device=device), 7.0)
    return x, row, y, z, x.diagonal(), torch.as_strided(x, (3, 2), (8, 2))


@case
def indexing(device, dtype):
    x, i = to(device, dtype, numbers(5, 6, 7), integers(0, 5, 4))
    mask = x[:, 0, 0] > 0
    return (x[i], x[i, 2], x[:, i, i], x[..., None, -1], torch.where(x > 0, x, -x), x.gather(0, i.view(4, 1, 1)),
            x.index_select(1, i), torch.take_along_dim(x, x.argsort(dim=2), 2), x[mask], mask.nonzero(),
            x.flip(0, 2), x.roll(2, 1), F.pad(x, (1, 2, 0, 1), value=3), F.one_hot(i, 5), x.unfold(2, 3, 2),
            torch.tril(x[0]), torch.stack([x, x], 1), torch.cat([x, x[:2]]), F.embedding(i, x[0]))


@case
def types(device, dtype):
    # For numbers that bfloat16 has, so that float64 rounds to the same.
    x = to(device, dtype, numbers(4, 5).mul(3).bfloat16().float())[0]
    results = [x.to(t).to(dtype) for t in (torch.bfloat16, torch.float16, torch.int32, torch.int64, torch.int8,
                                           torch.int16, torch.bool)]
    results.append(x.abs().to(torch.uint8))
    i = integers(-9, 9, 4, 5).to(device)
    results += [i // 4, i % 4, i << 2, i & 3, i.to(torch.int8) * 5, i.float().to(dtype) / 3, i == 2, -i, ~i, i.abs()]
    half = x.to(torch.bfloat16)
    results += [(half @ half.t()).to(dtype) if dtype == torch.float32 else half.to(dtype) @ half.t().to(dtype)]
    double = numbers(3, 3).double().to(device)
    return results + [double @ double, double.sin().sum()]


@case
def reductions_and_sorting(device, dtype):
    (x,) = to(device, dtype, numbers(6, 9))
    top, where = x.topk(3, dim=1)
    ordered, order = x.sort(dim=0, descending=True)
    return (x.sum(0), x.mean((0, 1)), x.std(1), x.var(0, unbiased=False), x.amax(1), x.argmax(1), x.min(0)[1],
            x.prod(1), x.cumsum(1), x.cumprod(0), x.logsumexp(1), x.norm(), x.softmax(0), top, where, ordered, order,
            x.median(), x.kthvalue(2, dim=1)[0], (x > 0).any(1), (x > -9).all(),
            torch.linalg.vector_norm(x, 1, dim=0))


@case
def functions(device, dtype):
    (x,) = to(device, dtype, torch.linspace(0.1, 2.9, 29))
    y = x - 1.5
    return (x.exp(), x.log(), x.sin(), x.tan(), y.atan(), x.rsqrt(), y.erf(), (y / 2).erfinv(), x.lgamma(), x.digamma(),
            y.sigmoid(), y.tanh(), x.log1p(), y.expm1(), x.pow(2.5), torch.atan2(y, x), y.floor(), y.round(), y.trunc(),
            y.sign(), F.gelu(y), F.silu(y), F.elu(y), F.softplus(y), F.hardtanh(y), F.leaky_relu(y), F.mish(y),
            F.hardswish(y), y.fmod(0.7), y.remainder(0.7), y.frac(), x.reciprocal(), y.cosh(), y.asinh())


@case
def losses(device, dtype):
    x, y, labels = to(device, dtype, numbers(6, 5), numbers(6, 5, seed=1), integers(0, 5, 6))
    x.requires_grad_()
    values = torch.stack([
        F.mse_loss(x, y), F.l1_loss(x, y), F.huber_loss(x, y), F.cross_entropy(x, labels),
        F.nll_loss(x.log_softmax(1), labels), F.binary_cross_entropy_with_logits(x, y.sigmoid()),
        F.kl_div(x.log_softmax(1), y.softmax(1), reduction="batchmean"), F.cosine_similarity(x, y).sum(),
        F.hinge_embedding_loss(x, y.sign()), F.triplet_margin_loss(x, y, y.flip(0))])
    values.sum().backward()
    return values.detach(), x.grad


@case
def linear_algebra(device, dtype):
    x, b = to(device, dtype, numbers(4, 4), numbers(4, 2, seed=1))
    a = x @ x.t() + 4 * torch.eye(4, device=device, dtype=dtype)
    factor = torch.linalg.cholesky(a)
    return (factor, torch.linalg.solve_triangular(factor, b, upper=False), torch.einsum("ij,kj->ik", x, a),
            torch.bmm(x.expand(3, 4, 4), a.expand(3, 4, 4)), torch.baddbmm(x, x.expand(2, 4, 4), a.expand(2, 4, 4)),
            x.mv(b[:, 0]), torch.outer(b[:, 0], b[:, 1]), torch.linalg.inv(a), torch.linalg.slogdet(a)[1])


@case
def windows(device, dtype):
    x, w = to(device, dtype, numbers(2, 3, 9, 9), numbers(4, 3, 3, 3, seed=1))
    x.requires_grad_(), w.requires_grad_()
    values = [F.conv2d(x, w, stride=2, padding=1), F.max_pool2d(x, 3, 2), F.avg_pool2d(x, 2, ceil_mode=True),
              F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False), F.pixel_shuffle(x[:, :1].expand(
                  2, 4, 9, 9), 2), F.conv1d(x[:, :, 0], w[:, :, 0]), F.adaptive_avg_pool2d(x, 3),
              F.conv3d(x[:, :, None], w[:, :, None]), F.grid_sample(x, torch.zeros(2, 3, 3, 2, device=device,
                                                                                 dtype=dtype), align_corners=False)]
    sum(v.square().sum() for v in values).backward()
    return [v.detach() for v in values] + [x.grad, w.grad]


@case
def sizes_known_only_on_the_device(device, dtype):
    (x,) = to(device, dtype, numbers(20))
    kept = x[x > 0.5]
    values, counts = torch.unique(integers(0, 6, 30).to(device), return_counts=True)
    return kept, kept.sum(), (x < 0).nonzero(), values, counts, torch.tensor([x.sum().item()]), torch.masked_select(
        x, x < -1)
