#!/usr/bin/env python3
"""Writes the files beside this one, which tensor_folder_golden_test.cc reads:

    python systolic/io/golden/make_golden.py      # torch 2.15, safetensors 0.8, transformers 5.23, numpy

Every tensor is value(i) = (3 i mod 7) - 2 in row-major order (its absolute value where the type has no sign, whether
it is 0 where it is bool), so that the test computes what it expects; but for views.bin, whose tensors are views into
one of 4 by 6 elements 0, 1, 2 ...
"""
import collections
import json
import pathlib
import shutil

import safetensors.torch
import torch
import transformers

HERE = pathlib.Path(__file__).parent
TYPES = ("bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float8_e4m3fn float8_e5m2 float16 bfloat16 float32 "
         "float64 complex64 complex128").split()


def tensor(dtype, shape):
    count = int(torch.tensor(shape).prod()) if shape else 1
    values = (torch.arange(count) * 3 % 7 - 2).reshape(shape)
    if dtype.startswith("uint"):
        values = values.abs()
    return values.to(getattr(torch, dtype))


def all_types():
    return collections.OrderedDict((name, tensor(name, (2, 3))) for name in TYPES)


def views():
    base = torch.arange(24, dtype=torch.float32).reshape(4, 6)
    result = {"base": base, "transposed": base.T, "slice": base[1:3, 2:5], "stepped": base[:, ::2],
              "expanded": base[0].expand(3, 6), "scalar": base[2, 3], "empty": base[:0],
              "permuted": base.reshape(2, 2, 6).permute(2, 0, 1),
              "parameter": torch.nn.Parameter(base[1])}
    return {"model": result, "epoch": 3, "name": "views", "steps": [1, 2], 7: base[3]}


def model():
    config = transformers.BertConfig(vocab_size=11, hidden_size=8, num_hidden_layers=1, num_attention_heads=2,
                                     intermediate_size=12, max_position_embeddings=6)
    bert = transformers.BertModel(config)
    state = bert.state_dict()
    for name in state:
        state[name] = tensor("float32", tuple(state[name].shape))
    bert.load_state_dict(state)
    return bert


def write_shards(folder, state):
    """As transformers 4 wrote pytorch_model.bin in shards."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    names = list(state)
    halves = [names[:len(names) // 2], names[len(names) // 2:]]
    weight_map = {}
    for i, half in enumerate(halves):
        file = f"pytorch_model-0000{i + 1}-of-00002.bin"
        torch.save({name: state[name] for name in half}, folder / file)
        weight_map.update({name: file for name in half})
    total = sum(value.numel() * value.element_size() for value in state.values())
    index = {"metadata": {"total_size": total}, "weight_map": weight_map}
    (folder / "pytorch_model.bin.index.json").write_text(json.dumps(index, indent=2) + "\n")


def main():
    torch.save(all_types(), HERE / "types.bin")
    torch.save(all_types(), HERE / "protocol4.bin", pickle_protocol=4)
    old = {name: value for name, value in all_types().items() if name[:4] not in ("uint", "floa") or name in
           ("uint8", "float16", "float32", "float64")}
    torch.save(old, HERE / "types_before_1.6.bin", _use_new_zipfile_serialization=False)
    torch.save(views(), HERE / "views.bin")
    torch.save(views(), HERE / "views_before_1.6.bin", _use_new_zipfile_serialization=False)
    stored = {name: value for name, value in all_types().items() if name != "complex128"}
    safetensors.torch.save_file(stored, HERE / "types.safetensors", {"format": "pt", "by": "safetensors"})
    torch.save(model().state_dict(), HERE / "bert.bin")  # with the attribute _metadata
    shutil.rmtree(HERE / "bert_shards", ignore_errors=True)
    model().save_pretrained(HERE / "bert_shards", max_shard_size="2KB")
    (HERE / "bert_shards" / "config.json").unlink()
    write_shards(HERE / "bert_bin_shards", model().state_dict())


if __name__ == "__main__":
    main()
