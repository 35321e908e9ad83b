#!/usr/bin/env python3
"""What `transformers` generates with the GPT-2 of make_models.py, with a head of its own, and what it draws tokens from.

    python systolic/models/golden/make_generated.py      # transformers 5.23, torch 2.15

gpt2/generated.safetensors holds prompts with their mask, the greedy continuations under several settings (CASES) and,
for the scores of one token, the probabilities that a draw has under others (DRAWS).
"""
import pathlib

import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers.generation import logits_process

FOLDER = pathlib.Path(__file__).resolve().parent / "gpt2"
NEW_TOKENS, VOCABULARY, PADDING, NEVER = 12, 60, 0, 59
STARTS = [0, 3, 6]  # of the texts, which are padded in front

# Name of the result: what generate() is called with. eos: what the plain continuation's third row has in fifth place.
CASES = {
    "plain": dict(),
    "penalized": dict(repetition_penalty=1.7),
    "ended": dict(eos="plain"),
    "long": dict(max_new_tokens=18),
}
# Name: temperature, top_k, top_p.
DRAWS = {"all": (1.0, 0, 1.0), "hot": (2.5, 0, 1.0), "top_k": (0.7, 5, 1.0), "top_p": (1.0, 0, 0.6), "both": (1.3, 9, 0.8)}


def probabilities(scores, temperature, top_k, top_p):
    processors = [logits_process.TemperatureLogitsWarper(temperature)]
    if top_k:
        processors.append(logits_process.TopKLogitsWarper(top_k))
    if top_p < 1:
        processors.append(logits_process.TopPLogitsWarper(top_p))
    for processor in processors:
        scores = processor(None, scores)
    return scores.softmax(-1)


def smallest_lead(scores):
    """By how much the chosen token leads the second: rounding must not choose another."""
    return min((top[:, 0] - top[:, 1]).min().item() for top in (step.topk(2).values for step in scores))


def untied_model():
    """With the head of untied.safetensors: a tied one says the same token again and again."""
    config = transformers.AutoConfig.from_pretrained(FOLDER, tie_word_embeddings=False)
    model = transformers.GPT2LMHeadModel(config)
    weights = dict(load_file(FOLDER / "model.safetensors"), **load_file(FOLDER / "untied.safetensors"))
    missing = model.load_state_dict(weights, strict=False).missing_keys
    assert not missing, missing
    return model.float().eval()


def main():
    model = untied_model()
    generator = torch.Generator().manual_seed(11)
    prompt = torch.randint(5, VOCABULARY - 1, (len(STARTS), 7), generator=generator)
    mask = (torch.arange(7)[None] >= torch.tensor(STARTS)[:, None]).long()
    prompt = torch.where(mask == 1, prompt, PADDING)
    result = {"input_ids": prompt, "attention_mask": mask}
    for name, options in CASES.items():
        options = dict(dict(max_new_tokens=NEW_TOKENS, eos_token_id=NEVER, pad_token_id=PADDING), **options)
        if "eos" in options:
            options["eos_token_id"] = int(result[options.pop("eos")][2, 7 + 4])
            result["eos_token_id"] = torch.tensor(options["eos_token_id"])
        output = model.generate(prompt, attention_mask=mask, do_sample=False, return_dict_in_generate=True,
                                output_scores=True, **options)
        result[name] = output.sequences
        print(name, output.sequences.tolist(), "lead", smallest_lead(output.scores))
    scores = torch.randn(1, VOCABULARY, generator=generator) * 2
    result["scores"] = scores
    for name, options in DRAWS.items():
        result["drawn." + name] = probabilities(scores, *options)[0]
    save_file({name: value.contiguous() for name, value in result.items()}, FOLDER / "generated.safetensors")


if __name__ == "__main__":
    main()
