"""Writes xser.pt and xser.pt.tensors as xser.save of PyTorch/XLA does: its references are objects of a class of this
name, and each tensor lies in a file of its own. Needs torch alone.

    python systolic/torch_xla/golden/make_xser.py
"""
import collections
import pathlib
import shutil
import sys
import types

import torch

FOLDER = pathlib.Path(__file__).resolve().parent


class TensorReference:
    def __init__(self, tid):
        self.tid = tid


def stand_in():
    """The module under whose name the pickle keeps the class."""
    name = "torch_xla.utils.serialization"
    for part in ("torch_xla", "torch_xla.utils", name):
        sys.modules.setdefault(part, types.ModuleType(part))
    sys.modules[name].TensorReference = TensorReference
    TensorReference.__module__ = name


def main():
    stand_in()
    state = collections.OrderedDict(weight=torch.arange(6, dtype=torch.float32).reshape(2, 3),
                                    bias=torch.tensor([0.5, -0.5], dtype=torch.bfloat16), steps=torch.tensor(9))
    tensors = FOLDER / "xser.pt.tensors"
    shutil.rmtree(tensors, ignore_errors=True)
    tensors.mkdir()
    references = collections.OrderedDict()
    for number, (name, tensor) in enumerate(state.items()):
        torch.save(tensor, tensors / f"tensor_{number}.pt")
        references[name] = TensorReference(number)
    torch.save(references, FOLDER / "xser.pt")


main()
