#!/usr/bin/env python3
"""Checks that transformers, safetensors and torch load what io::save_checkpoint writes, and that both read alike.

    ninja -C build/release resave
    python tests/weights/check_with_transformers.py build/release/bin/resave [FOLDER_OF_A_MODEL...]

Needs torch, safetensors and transformers. Small random models are written in every form that io::open_checkpoint
reads, resaved in one file and in shards, and loaded again: every tensor must be the same to the bit. The folders of
models that are named besides (a config.json and weights) are resaved and loaded too.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import safetensors
import safetensors.torch
import torch
import transformers


def models():
    torch.manual_seed(0)
    sizes = dict(hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24,
                 max_position_embeddings=12, vocab_size=31)
    yield transformers.BertForSequenceClassification(transformers.BertConfig(**sizes))
    yield transformers.RobertaForMaskedLM(transformers.RobertaConfig(**sizes))  # tied weights
    yield transformers.GPT2LMHeadModel(transformers.GPT2Config(n_embd=16, n_layer=2, n_head=2, vocab_size=31,
                                                               n_positions=12))
    yield transformers.BertModel(transformers.BertConfig(**sizes)).to(torch.bfloat16)


def same(ours, theirs, what):
    assert set(ours) == set(theirs), f"{what}: names differ: {set(ours) ^ set(theirs)}"
    for name, value in theirs.items():
        assert ours[name].dtype == value.dtype and ours[name].shape == value.shape, f"{what}: {name}"
        assert torch.equal(ours[name], value), f"{what}: {name} has other numbers"


def stored(folder):
    """All tensors of a folder that we wrote, by the library of the format; its metadata is checked."""
    tensors = {}
    for path in sorted(folder.glob("*.safetensors")):
        with safetensors.safe_open(path, "pt") as file:
            assert file.metadata()["format"] == "pt"
        tensors.update(safetensors.torch.load_file(path))
    return tensors


def check(resave, source, config, load, expected, what, folder):
    for shard_size in (None, 2000):
        target = folder / "target"
        shutil.rmtree(target, ignore_errors=True)
        command = [resave, source, target] + ([str(shard_size)] if shard_size else [])
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        same(stored(target), expected, what)
        config.save_pretrained(target)
        again, report = load(target, output_loading_info=True, dtype="auto")
        wrong = {kind: names for kind, names in report.items() if names}
        assert not wrong, f"{what}: {wrong}"
        for name, value in again.state_dict().items():
            if name in expected:
                assert torch.equal(value, expected[name]), f"{what}: {name} loaded as other numbers"


def check_model(resave, model, folder):
    name = type(model).__name__
    source = folder / "source"
    for form in ("safetensors", "shards", "bin", "legacy bin"):
        shutil.rmtree(source, ignore_errors=True)
        source.mkdir()
        if form.endswith("bin"):
            state = model.state_dict()
            torch.save(state, source / "pytorch_model.bin", _use_new_zipfile_serialization=form == "bin")
            expected = torch.load(source / "pytorch_model.bin", weights_only=True)
        else:
            model.save_pretrained(source, max_shard_size="2KB" if form == "shards" else "1GB")
            expected = stored(source)
        # Loaded strictly where transformers itself wrote the names; a state_dict holds tied weights twice.
        check(resave, source, model.config, type(model).from_pretrained, expected, f"{name} from {form}", folder)
    print(f"{name} {model.dtype}: the same from 4 forms, in 1 file and in shards")


def check_folder(resave, source, folder):
    model = transformers.AutoModel.from_pretrained(source)
    subprocess.run([resave, source, folder / "real"], check=True)
    same(stored(folder / "real"), stored(pathlib.Path(source)), source)
    model.config.save_pretrained(folder / "real")
    again = transformers.AutoModel.from_pretrained(folder / "real")
    same(again.state_dict(), model.state_dict(), source)
    print(f"{source}: the same")


def main():
    resave = pathlib.Path(sys.argv[1]).resolve()
    transformers.logging.set_verbosity_error()
    with tempfile.TemporaryDirectory() as folder:
        for model in models():
            check_model(resave, model, pathlib.Path(folder))
        for source in sys.argv[2:]:
            check_folder(resave, source, pathlib.Path(folder))


if __name__ == "__main__":
    main()
