#!/usr/bin/env python3
"""Checks that transformers, safetensors and torch load what io::save_checkpoint and save_pretrained write.

    ninja -C build/release resave resave_model
    python tests/weights/check_with_transformers.py build/release/bin/resave [FOLDER_OF_A_MODEL...]

Needs torch, safetensors, transformers and Pillow.

Files: small random models are written in every form that io::open_checkpoint reads, resaved in one file and in shards,
and loaded again: every tensor must be the same to the bit.

Models: each architecture with each of its heads, tied and not where it is a language model's, goes from transformers to
resave_model and back, where weights, configuration and image processor must be the same; and one that resave_model made
afresh from the configuration goes the other way round.

The folders of models that are named besides (a config.json and weights) are resaved and loaded too.
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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "systolic/transformers/golden"))
import make_models  # noqa: E402


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


def loaded(load, folder, what, **options):
    """The folder's model; weights that are missing, unexpected or mismatched are an error."""
    model, report = load(folder, output_loading_info=True, **options)
    wrong = {fault: names for fault, names in report.items() if names}
    assert not wrong, f"{what}: {wrong}"
    return model.eval()


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
        for name, value in loaded(load, target, what, dtype="auto").state_dict().items():
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


def processor_of(model_type):
    if model_type == "vit":
        return transformers.ViTImageProcessorPil(size={"height": 12, "width": 20}, resample=3, image_std=[0.3, 0.4, 0.5])
    if model_type == "deit":
        return transformers.DeiTImageProcessorPil(size={"shortest_edge": 14}, crop_size={"height": 12, "width": 12})
    if model_type == "clip":
        return transformers.CLIPImageProcessorPil(size={"shortest_edge": 14}, crop_size={"height": 12, "width": 12})
    if model_type == "siglip":
        return transformers.SiglipImageProcessorPil(size={"height": 12, "width": 12})
    if model_type == "dinov2":
        return transformers.BitImageProcessorPil(size={"shortest_edge": 14}, crop_size={"height": 12, "width": 12})
    if model_type in ("convnext", "resnet"):
        return transformers.ConvNextImageProcessorPil(size={"shortest_edge": 48}, crop_pct=0.9)
    return None


def same_fields(ours, theirs, what):
    for field, value in theirs.items():
        if field in ("text_config", "vision_config"):  # whose type of weights is the whole's
            same_fields({**ours[field], "dtype": value.get("dtype")}, value, f"{what}: {field}")
            continue
        known = field == "_name_or_path" or ours.get(field) == value
        assert known, f"{what}: {field} is {ours.get(field)}, was {value}"


def empty(folder, name):
    shutil.rmtree(folder / name, ignore_errors=True)
    (folder / name).mkdir()
    return folder / name


def check_resaved_model(resave_model, model_type, head, config, folder):
    """transformers -> ours -> transformers."""
    source, target = empty(folder, "source"), empty(folder, "target")
    kind = make_models.class_of(model_type, head)
    model = make_models.moved(kind(config), 1)
    model.save_pretrained(source)
    processor = processor_of(model_type)
    if processor:
        processor.save_pretrained(source)
    subprocess.run([resave_model, head.removesuffix("Simple"), source, target], check=True, stdout=subprocess.DEVNULL)
    again = loaded(kind.from_pretrained, target, kind.__name__)
    same(stored(target), stored(source), f"{kind.__name__}, as stored")
    same(again.state_dict(), model.state_dict(), kind.__name__)
    same_fields(again.config.to_dict(), model.config.to_dict(), f"{kind.__name__}, configuration")
    if processor:
        same_fields(type(processor).from_pretrained(target).to_dict(), processor.to_dict(), type(processor).__name__)


def check_fresh_model(resave_model, model_type, head, config, folder):
    """Ours -> transformers -> ours."""
    source, target, last = empty(folder, "source"), empty(folder, "target"), empty(folder, "last")
    kind = make_models.class_of(model_type, head)
    config.save_pretrained(source)  # and no weights
    command = [resave_model, head.removesuffix("Simple")]
    subprocess.run([*command, source, target], check=True, stdout=subprocess.DEVNULL)
    model = loaded(kind.from_pretrained, target, f"a fresh {kind.__name__}")
    assert kind.__name__ == model.config.architectures[0], model.config.architectures
    model.save_pretrained(source)
    subprocess.run([*command, source, last], check=True, stdout=subprocess.DEVNULL)
    same(stored(last), stored(target), f"a fresh {kind.__name__}")


def check_architecture(resave_model, model_type, folder):
    heads = make_models.MODELS[model_type][2]
    for head in heads:
        for tied in (True, False) if head in ("ForMaskedLM", "ForCausalLM") else (True,):
            config = make_models.config_of(model_type)
            if not tied:
                config.tie_word_embeddings = False
            if make_models.is_decoder(model_type, head):
                config.is_decoder = True
            if head.startswith("ForQuestionAnswering"):
                config.num_labels = 2
            check_resaved_model(resave_model, model_type, head, config, folder)
            check_fresh_model(resave_model, model_type, head, config, folder)
    print(f"{model_type}: the same there and back, {', '.join(heads)}")


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
        for model_type in make_models.MODELS:
            check_architecture(resave.with_name("resave_model"), model_type, pathlib.Path(folder))
        for source in sys.argv[2:]:
            check_folder(resave, source, pathlib.Path(folder))


if __name__ == "__main__":
    main()
