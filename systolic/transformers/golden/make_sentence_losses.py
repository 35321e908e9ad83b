#!/usr/bin/env python3
"""Losses of sentences' vectors by PyTorch's own functions: sentence_losses.safetensors.

    python systolic/transformers/golden/make_sentence_losses.py      # torch 2.15

`vectors` are [rows, texts, width]; of two texts a row the first two count. `gradient.LOSS` is that of the mean.
"""
import pathlib

import torch
import torch.nn.functional as F
from safetensors.torch import save_file

HERE = pathlib.Path(__file__).resolve().parent
ROWS, TEXTS, WIDTH = 5, 3, 6


def ranking(vectors, scale):
    candidates = vectors[:, 1:].transpose(0, 1).reshape(-1, WIDTH)
    scores = F.cosine_similarity(vectors[:, :1], candidates[None], dim=-1) * scale
    return F.cross_entropy(scores, torch.arange(ROWS))


def contrastive(vectors, labels, margin):
    apart = 1 - F.cosine_similarity(vectors[:, 0], vectors[:, 1])
    return (0.5 * (labels * apart.pow(2) + (1 - labels) * F.relu(margin - apart).pow(2))).mean()


def triplet(vectors, margin):
    return F.triplet_margin_loss(*vectors.unbind(1), margin=margin, eps=0.0)


def main():
    torch.manual_seed(4)
    vectors = torch.randn(ROWS, TEXTS, WIDTH)
    labels = torch.tensor([1.0, 0.0, 1.0, 0.0, 0.3])
    losses = {"ranking_of_two": lambda x: ranking(x[:, :2], 20.0), "ranking_of_three": lambda x: ranking(x, 5.0),
              "cosine": lambda x: F.mse_loss(F.cosine_similarity(x[:, 0], x[:, 1]), labels),
              "contrastive": lambda x: contrastive(x, (labels > 0.5).float(), 0.9), "triplet": lambda x: triplet(x, 1.0)}
    result = {"vectors": vectors, "labels": labels}
    for name, loss in losses.items():
        leaf = vectors.clone().requires_grad_()
        value = loss(leaf)
        value.backward()
        result.update({name: value.detach(), f"gradient.{name}": leaf.grad})
    save_file({name: value.clone().contiguous() for name, value in result.items()}, HERE / "sentence_losses.safetensors")


if __name__ == "__main__":
    main()
