#!/usr/bin/env python3
"""What `peft` computes and saves with models of make_models.py: adapters, their logits and how they train.

    python systolic/transformers/golden/make_peft.py      # peft 0.21, transformers 5.23, torch 2.15

peft/NAME holds an adapter of the base model as `peft` saves it, with weights away from their start, and
expected.safetensors: inputs, logits with the adapter, the losses of STEPS steps of SGD without dropout, and the
adapter's arrays after them ("trained." and their names).
"""
import json
import shutil

import peft
import torch
from safetensors.torch import save_file

import make_models

STEPS, RATE = 6, 0.05
# Name: base model, head, what LoraConfig is given.
CASES = {
    "lora": ("bert", "ForSequenceClassification", dict(task_type="SEQ_CLS", r=4, lora_alpha=6)),
    "rslora": ("llama", "ForCausalLM", dict(
        task_type="CAUSAL_LM", r=4, lora_alpha=8, use_rslora=True, target_modules=r".*\.(q|down)_proj",
        rank_pattern={"mlp.down_proj": 2}, alpha_pattern={"down_proj": 5})),
    "dora": ("gpt2", "ForCausalLM", dict(task_type="CAUSAL_LM", r=3, lora_alpha=5, use_dora=True,
                                         target_modules=["c_attn", "c_fc"], layers_to_transform=[1])),
    "all_linear": ("roberta", "ForSequenceClassification", dict(
        task_type="SEQ_CLS", r=2, use_dora=True, target_modules="all-linear", exclude_modules=["value"])),
    # "classifier" is how pre_classifier ends, too.
    "whole": ("distilbert", "ForSequenceClassification", dict(task_type="SEQ_CLS", r=2, target_modules=["lin2"])),
}


def base_model(model_type, head):
    model_class = make_models.class_of(model_type, head)
    model = model_class.from_pretrained(make_models.HERE / model_type, dtype=torch.float32)
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    return model.eval()


def make(name):
    model_type, head, fields = CASES[name]
    torch.manual_seed(7)
    model = peft.get_peft_model(base_model(model_type, head), peft.LoraConfig(**fields)).eval()
    generator = torch.Generator().manual_seed(11)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter.add_(0.1 * torch.randn(parameter.shape, generator=generator))
    folder = make_models.HERE / "peft" / name
    shutil.rmtree(folder, ignore_errors=True)
    model.save_pretrained(folder)
    (folder / "README.md").unlink()
    config = json.loads((folder / "adapter_config.json").read_text())
    config["base_model_name_or_path"] = model_type
    for field in ("target_modules", "modules_to_save"):  # sets, in any order
        if isinstance(config[field], list):
            config[field].sort()
    (folder / "adapter_config.json").write_text(json.dumps(config, indent=1, sort_keys=True) + "\n")
    inputs = make_models.inputs_of(model_type)
    labels = make_models.labels_of(head)
    with torch.no_grad():
        expected = dict(inputs, **labels, logits=model(**inputs).logits)
    optimizer = torch.optim.SGD([one for one in model.parameters() if one.requires_grad], lr=RATE)
    losses = []
    for _ in range(STEPS):
        loss = model(**inputs, **labels).loss
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    expected["losses"] = torch.tensor(losses)
    for key, value in peft.get_peft_model_state_dict(model).items():
        expected["trained." + key] = value.detach()
    for file in folder.iterdir():
        file.chmod(0o644)
    save_file({key: value.contiguous().clone() for key, value in expected.items()}, folder / "expected.safetensors")
    print(name, losses, sum(file.stat().st_size for file in folder.iterdir()))


if __name__ == "__main__":
    for case in CASES:
        make(case)
