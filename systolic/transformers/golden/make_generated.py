#!/usr/bin/env python3
"""What `transformers` generates with models of make_models.py, with heads of their own, and what it draws tokens from.

    python systolic/transformers/golden/make_generated.py      # transformers 5.23, torch 2.15

gpt2/generated.safetensors holds prompts with their mask, the greedy continuations under several settings (CASES) and,
for the scores of one token, the probabilities that a draw has under others (DRAWS). Those of encoders that are decoders
and of Llama and its relatives hold the plain continuation alone, each token from the whole text before it: generate()
gives the same, but of RoBERTa, whose positions it counts from 0 and not from after the token that pads, as the model
that it generates with does.
"""
import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers.generation import logits_process

import make_models

NEW_TOKENS, VOCABULARY, PADDING, NEVER = 12, 60, 0, 59
STARTS = [0, 3, 6]  # of the texts, which are padded in front

# Name of the result: what generate() is called with. eos: what the plain continuation's third row has in fifth place.
CASES = {
    "plain": dict(),
    "penalized": dict(repetition_penalty=1.7),
    "ended": dict(eos="plain"),
    "long": dict(max_new_tokens=18),
    "delayed": dict(eos="plain", min_new_tokens=7),
    "least_length": dict(eos="plain", min_length=13),
    "no_pairs": dict(no_repeat_ngram_size=2, max_new_tokens=18),
    "no_triples": dict(no_repeat_ngram_size=3, repetition_penalty=0.8, max_new_tokens=18),
}
# Name: temperature, top_k, top_p, min_p, typical_p.
DRAWS = {"all": (1.0, 0, 1.0), "hot": (2.5, 0, 1.0), "top_k": (0.7, 5, 1.0), "top_p": (1.0, 0, 0.6), "both": (1.3, 9, 0.8),
         "min_p": (1.0, 0, 1.0, 0.2), "typical_p": (1.0, 0, 1.0, 0.0, 0.5), "every": (1.2, 20, 0.9, 0.05, 0.7)}


def probabilities(scores, temperature, top_k, top_p, min_p=0.0, typical_p=1.0):
    processors = [logits_process.TemperatureLogitsWarper(temperature)]
    if top_k:
        processors.append(logits_process.TopKLogitsWarper(top_k))
    if top_p < 1:
        processors.append(logits_process.TopPLogitsWarper(top_p))
    if min_p:
        processors.append(logits_process.MinPLogitsWarper(min_p))
    if typical_p < 1:
        processors.append(logits_process.TypicalLogitsWarper(typical_p))
    for processor in processors:
        scores = processor(None, scores)
    return scores.softmax(-1)


def smallest_lead(scores):
    """By how much the chosen token leads the second: rounding must not choose another."""
    return min((top[:, 0] - top[:, 1]).min().item() for top in (step.topk(2).values for step in scores))


def untied_model(model_type, **fields):
    """With the head of untied.safetensors: a tied one says the same token again and again."""
    folder = make_models.HERE / model_type
    config = transformers.AutoConfig.from_pretrained(folder, tie_word_embeddings=False, **fields)
    model = make_models.class_of(model_type, "ForCausalLM")(config)
    weights = dict(load_file(folder / "model.safetensors"), **load_file(folder / "untied.safetensors"))
    missing = model.load_state_dict(weights, strict=False).missing_keys
    assert not missing, missing
    return model.float().eval()


def prompts_of(generator, padding):
    prompt = torch.randint(5, VOCABULARY - 1, (len(STARTS), 7), generator=generator)
    mask = (torch.arange(7)[None] >= torch.tensor(STARTS)[:, None]).long()
    return {"input_ids": torch.where(mask == 1, prompt, padding), "attention_mask": mask}


def save(model_type, result):
    save_file({name: value.contiguous() for name, value in result.items()},
              make_models.HERE / model_type / "generated.safetensors")


def read_again_and_again(model, text):
    """The text and what comes next, and the smallest lead."""
    lead = float("inf")
    for _ in range(NEW_TOKENS):
        with torch.no_grad():
            scores = model(text[None], use_cache=False).logits[0, -1]
        lead = min(lead, smallest_lead([scores[None]]))
        text = torch.cat([text, scores.argmax()[None]])
    return text, lead


def make_encoder(model_type):
    model = untied_model(model_type, is_decoder=True)
    result = prompts_of(torch.Generator().manual_seed(11), model.config.pad_token_id)
    texts = [read_again_and_again(model, row[start:]) for row, start in zip(result["input_ids"], STARTS)]
    new_tokens = torch.stack([text[-NEW_TOKENS:] for text, _ in texts])
    result["plain"] = torch.cat([result["input_ids"], new_tokens], 1)
    output = model.generate(result["input_ids"], attention_mask=result["attention_mask"], do_sample=False,
                            max_new_tokens=NEW_TOKENS, eos_token_id=NEVER, pad_token_id=model.config.pad_token_id)
    counts_after_padding = model_type in ("roberta", "xlm-roberta", "camembert")
    assert counts_after_padding or torch.equal(output, result["plain"]), output
    print(model_type, result["plain"].tolist(), "lead", min(lead for _, lead in texts))
    save(model_type, result)


def make_llama(model_type):
    folder = make_models.HERE / model_type
    model = make_models.class_of(model_type, "ForCausalLM").from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager").eval()
    result = prompts_of(torch.Generator().manual_seed(11), PADDING)
    texts = [read_again_and_again(model, row[start:]) for row, start in zip(result["input_ids"], STARTS)]
    output = model.generate(result["input_ids"], attention_mask=result["attention_mask"], do_sample=False,
                            max_new_tokens=NEW_TOKENS, eos_token_id=-1, pad_token_id=PADDING)
    assert torch.equal(output[:, -NEW_TOKENS:], torch.stack([text[-NEW_TOKENS:] for text, _ in texts])), model_type
    result["plain"] = output
    print(model_type, output.tolist(), "lead", min(lead for _, lead in texts))
    save(model_type, result)


def make_gpt2():
    model = untied_model("gpt2")
    generator = torch.Generator().manual_seed(11)
    result = prompts_of(generator, PADDING)
    prompt, mask = result["input_ids"], result["attention_mask"]
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
    save("gpt2", result)


if __name__ == "__main__":
    make_gpt2()
    for model_type in filter(make_models.is_llama, make_models.MODELS):
        make_llama(model_type)
    for model_type in make_models.MODELS:
        if make_models.is_decoder(model_type, make_models.MODELS[model_type][2][-1]):
            make_encoder(model_type)
