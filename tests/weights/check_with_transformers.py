#!/usr/bin/env python3
"""Checks that transformers, safetensors and torch load what io::save_checkpoint and save_pretrained write.

    ninja -C build/release resave resave_model
    python tests/weights/check_with_transformers.py build/release/bin/resave [FOLDER_OF_A_MODEL...]

Needs torch, safetensors, transformers and Pillow. Small random models are written in every form that
io::open_checkpoint reads, resaved in one file and in shards, and loaded again: every tensor must be the same to the
bit, and so must those of models that resave_model loaded and saved, with their image processors. The folders of models
that are named besides (a config.json and weights) are resaved and loaded too.
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


def picture_model(kind, head, **fields):
    config = getattr(transformers, kind + "Config")(hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
                                                    intermediate_size=24, num_labels=5, **fields)
    return getattr(transformers, kind + head)(config)


def whole_models():
    """Models and their image processors."""
    torch.manual_seed(1)
    sizes = dict(hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24, vocab_size=31)
    yield transformers.BertForSequenceClassification(transformers.BertConfig(**sizes)), None
    yield (picture_model("ViT", "ForImageClassification", image_size=[12, 20], patch_size=4),
           transformers.ViTImageProcessorPil(size={"height": 12, "width": 20}, resample=3, image_std=[0.3, 0.4, 0.5]))
    yield (picture_model("DeiT", "ForImageClassification", image_size=12, patch_size=[4, 6], qkv_bias=False),
           transformers.DeiTImageProcessorPil(size={"shortest_edge": 14}, crop_size={"height": 12, "width": 12}))
    yield picture_model("DeiT", "ForImageClassificationWithTeacher", image_size=12, patch_size=4), None


def check_whole_model(resave_model, model, processor, folder):
    source, target = folder / "source", folder / "target"
    for one in (source, target):
        shutil.rmtree(one, ignore_errors=True)
    model.save_pretrained(source)
    if processor:
        processor.save_pretrained(source)
    kind = "images" if hasattr(model.config, "image_size") else "sequences"
    subprocess.run([resave_model, kind, source, target], check=True, stdout=subprocess.DEVNULL)
    name = type(model).__name__
    again, report = type(model).from_pretrained(target, output_loading_info=True)
    wrong = {fault: names for fault, names in report.items() if names}
    assert not wrong, f"{name}: {wrong}"
    same(again.state_dict(), model.state_dict(), name)
    for field, value in model.config.to_dict().items():
        assert again.config.to_dict().get(field) == value, f"{name}: {field} of its configuration"
    if processor:
        fields = type(processor).from_pretrained(target).to_dict()
        for field, value in processor.to_dict().items():
            assert fields[field] == value, f"{name}: {field} of its image processor is {fields[field]}, was {value}"
    print(f"{name}: the same, loaded and saved by its Auto class")


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
        for model, processor in whole_models():
            check_whole_model(resave.with_name("resave_model"), model, processor, pathlib.Path(folder))
        for source in sys.argv[2:]:
            check_folder(resave, source, pathlib.Path(folder))


if __name__ == "__main__":
    main()
