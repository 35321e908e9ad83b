"""Writes data/later_layers.json: as make_more_layers.py, for attention, equations and encodings.

    python tests/golden/make_later_layers.py        (Keras 3.15, JAX 0.10)
"""
from make_more_layers import case, draw  # first: it chooses the backend

from golden_values import write
import numpy as np


def attention():
    padded = draw(2, 3, 4)
    padded[0, 2:] = 0
    pair = [draw(2, 3, 4), draw(2, 5, 4)]
    three = [draw(2, 3, 4), draw(2, 5, 2), draw(2, 5, 4)]
    for kind in ("Attention", "AdditiveAttention"):
        yield case(kind, kind, {}, pair)
        yield case(f"{kind}, of a key", kind, {}, three)
        yield case(f"{kind}, scaled", kind, {"use_scale": kind == "Attention"}, pair)
        yield case(f"{kind}, causal, with scores", kind, {}, pair,
                   call_arguments={"use_causal_mask": True, "return_attention_scores": True})
        yield case(f"{kind}, masked", kind, {}, [padded, draw(2, 5, 4)], mask_value=0.0)
    yield case("Attention, concat", "Attention", {"score_mode": "concat"}, pair)
    yield case("Attention, concat, scaled", "Attention", {"score_mode": "concat", "use_scale": True}, three)
    heads = {"head_dim": 2, "num_query_heads": 4, "num_key_value_heads": 2}
    kind = "GroupQueryAttention"
    yield case(kind, kind, heads, [draw(2, 3, 4), draw(2, 5, 4)], call_as="arguments")
    yield case(f"{kind}, one group, causal", kind, {**heads, "num_key_value_heads": 1, "use_bias": False},
               [draw(1, 4, 3), draw(1, 4, 3)], call_as="arguments", call_arguments={"use_causal_mask": True})
    yield case(f"{kind}, with scores", kind, heads, [draw(1, 2, 3), draw(1, 3, 3), draw(1, 3, 3)],
               call_as="arguments", call_arguments={"return_attention_scores": True})
    yield case(f"{kind}, gated, in a window", kind, {**heads, "use_gate": True, "sliding_window": 2},
               [draw(1, 4, 3), draw(1, 4, 3)], call_as="arguments")


def equations():
    yield case("einsum dense", "EinsumDense", {"equation": "ab,bc->ac", "output_shape": [3], "bias_axes": "c"},
               [draw(2, 4)])
    yield case("einsum dense of two axes", "EinsumDense",
               {"equation": "abc,cde->abde", "output_shape": [3, 2, 3], "bias_axes": "de", "activation": "tanh"},
               [draw(2, 3, 4)])
    yield case("einsum dense back", "EinsumDense",
               {"equation": "abcd,cde->abe", "output_shape": [2, 5], "bias_axes": "e"}, [draw(1, 2, 3, 2)])
    yield case("einsum dense, any axes before", "EinsumDense",
               {"equation": "...x,xy->...y", "output_shape": [3], "bias_axes": "y"}, [draw(2, 2, 3, 2)])
    yield case("einsum dense, any axes after", "EinsumDense",
               {"equation": "ab...,bc->ac...", "output_shape": [3], "bias_axes": "c"}, [draw(2, 3, 2)])
    yield case("einsum dense along steps", "EinsumDense",
               {"equation": "abc,bd->adc", "output_shape": [4, 2], "bias_axes": "d"}, [draw(2, 3, 2)])


def sequences():
    yield case("time distributed dense", "TimeDistributed",
               {"layer": {"class_name": "Dense", "config": {"units": 3}}}, [draw(2, 3, 4)])
    yield case("time distributed conv2d", "TimeDistributed",
               {"layer": {"class_name": "Conv2D", "config": {"filters": 2, "kernel_size": [2, 2]}}},
               [draw(1, 3, 3, 3, 1)])
    for rank, sizes in ((1, (5,)), (2, (4, 3)), (3, (3, 2, 2))):
        kind = f"ConvLSTM{rank}D"
        kernel = 2 if rank == 1 else [2] * rank
        yield case(kind, kind, {"filters": 2, "kernel_size": kernel}, [draw(2, 3, *sizes, 2)])
        yield case(f"{kind}, same, all outputs", kind,
                   {"filters": 2, "kernel_size": kernel, "padding": "same", "return_sequences": True,
                    "return_state": True, "unit_forget_bias": False}, [draw(1, 2, *sizes, 1)])
        yield case(f"{kind}, backwards, strided", kind,
                   {"filters": 1, "kernel_size": kernel, "strides": 2 if rank == 1 else [2] * rank, "padding": "same",
                    "go_backwards": True, "use_bias": False, "recurrent_activation": "hard_sigmoid"},
                   [draw(1, 3, *sizes, 1)])


def encodings():
    tokens = np.array([[0, 2, 2], [3, 1, 0]], np.int32)
    for mode in ("multi_hot", "count", "one_hot"):
        yield case(f"category encoding {mode}", "CategoryEncoding", {"num_tokens": 4, "output_mode": mode}, [tokens])
        yield case(f"category encoding {mode} of a column", "CategoryEncoding",
                   {"num_tokens": 4, "output_mode": mode}, [tokens[:, :1]])
    numbers = np.array([[-1, 0, 0.25], [0.5, 1, 9]], np.float32)
    for mode in ("one_hot", "multi_hot", "count"):
        yield case(f"discretization {mode}", "Discretization",
                   {"bin_boundaries": [0.0, 0.5, 1.0], "output_mode": mode}, [numbers])


if __name__ == "__main__":
    groups = (attention, equations, sequences, encodings)
    write("later_layers", {"cases": [one for group in groups for one in group()]})
