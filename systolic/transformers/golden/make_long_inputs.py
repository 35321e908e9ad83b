#!/usr/bin/env python3
"""What `transformers` computes with XLNet's streams and memory, and with BigBird's sparse attention.

    python systolic/transformers/golden/make_long_inputs.py      # transformers 5.23, torch 2.15; after make_models.py

Reads the models that make_models.py wrote; writes xlnet/streams.safetensors and big_bird/sparse.safetensors.
"""
import pathlib

import torch
import transformers
from safetensors.torch import save_file

HERE = pathlib.Path(__file__).resolve().parent
VOCABULARY = 60


def random_ids(shape, seed):
    return torch.randint(5, VOCABULARY, shape, generator=torch.Generator().manual_seed(seed))


def loaded(kind, folder, dtype, **fields):
    """The weights of the file, but for the dropouts as they stand in the configuration."""
    config = transformers.AutoConfig.from_pretrained(HERE / folder, **fields)
    return kind.from_pretrained(HERE / folder, config=config, dtype=torch.float32).to(dtype).eval()


def saved(values, path):
    save_file({name: value.detach().contiguous().clone() for name, value in values.items()}, HERE / path)
    print(path, (HERE / path).stat().st_size)


def by_batch(mems):
    """[layers] of [memory, batch, size] -> [batch, layers, memory, size]."""
    return torch.stack(list(mems)).permute(2, 0, 1, 3)


def streams(dtype=torch.float32):
    """Two predictions in an order of their own; a segment after another one's memory; both at once."""
    rows, tokens, predicted = 2, 7, 3
    ids, later = random_ids((rows, tokens), 1), random_ids((rows, tokens), 2)
    mask = torch.ones(rows, tokens, dtype=torch.long)
    mask[1, :2] = 0  # in front
    types = (torch.arange(tokens) > 3).long().expand(rows, tokens)
    drawn = torch.rand(rows, tokens, tokens, generator=torch.Generator().manual_seed(3), dtype=torch.float32)
    perm = (drawn < 0.4).to(dtype)
    targets = torch.zeros(rows, predicted, tokens, dtype=dtype)
    targets[:, torch.arange(predicted), torch.tensor([6, 2, 5])] = 1
    labels = random_ids((rows, predicted), 4)
    labels[0, 1] = -100
    values = {"input_ids": ids, "later_ids": later, "attention_mask": mask, "token_type_ids": types, "perm_mask": perm,
              "target_mapping": targets, "labels": labels}
    for name, fields in (("bi", {}), ("uni", dict(attn_type="uni", mem_len=5)),
                         ("same_length", dict(attn_type="uni", same_length=True, reuse_len=4, clamp_len=6))):
        model = loaded(transformers.XLNetLMHeadModel, "xlnet", dtype, **fields)
        # transformers cannot mask several rows where attention is one way.
        one = slice(0, rows if name == "bi" else 1)
        given = dict(attention_mask=mask[one], token_type_ids=types[one])
        order = dict(perm_mask=perm[one], target_mapping=targets[one])
        with torch.no_grad():
            both = model(ids[one], **given, **order, labels=labels[one], use_mems=False)
            values |= {f"{name}.streams.logits": both.logits, f"{name}.streams.loss": both.loss}
            permuted = model(ids[one], **given, perm_mask=perm[one], use_mems=False)
            values[f"{name}.permuted.logits"] = permuted.logits
            first = model(ids[one], **given, use_mems=True)
            second = model(later[one], **given, mems=first.mems, use_mems=True)
            values |= {f"{name}.first.mems": by_batch(first.mems), f"{name}.second.logits": second.logits,
                       f"{name}.second.mems": by_batch(second.mems)}
            values[f"{name}.all.logits"] = model(later[one], **given, **order, mems=first.mems, use_mems=True).logits
    return values


def sparse(dtype=torch.float32):
    """Sequences of more than (5 + 2 random blocks) blocks, padded in part; in training without dropout."""
    # The positions that the saved model knows, 24, are 12 blocks of 2.
    fields = dict(block_size=2, num_random_blocks=2, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    ids = random_ids((2, 23), 5)
    mask = torch.ones_like(ids)
    mask[1, 17:] = 0
    values = {"input_ids": ids, "attention_mask": mask, "token_type_ids": (torch.arange(23) > 9).long().expand(2, 23)}
    model = loaded(transformers.BigBirdModel, "big_bird", dtype, **fields)
    values["last_hidden_state"] = model(**values).last_hidden_state
    inputs = {name: values[name] for name in ("input_ids", "attention_mask", "token_type_ids")}
    values["training.last_hidden_state"] = model.train()(**inputs).last_hidden_state
    return values | answers(ids[:, :12].clone(), dtype)


def answers(ids, dtype):
    """Without types, which are those of the question and of what comes after it: of one with a separator, one without."""
    model = loaded(transformers.BigBirdForQuestionAnswering, "big_bird", dtype)
    ids[0, 4] = model.config.sep_token_id
    with torch.no_grad():
        outputs = model(input_ids=ids)
    return {"answers.input_ids": ids, "answers.start_logits": outputs.start_logits, "answers.end_logits": outputs.end_logits}


def drawn_blocks():
    """The blocks that layers draw in training: heads x rows x blocks, for the test's table."""
    from transformers.models.big_bird.modeling_big_bird import BigBirdBlockSparseAttention
    import numpy as np
    values = {}
    for seed, tokens, most in ((0, 768, 4096), (3, 1024, 4096), (1, 3072, 4096), (2, 4096, 4096), (5, 1024, 1024)):
        config = transformers.BigBirdConfig(hidden_size=4, num_attention_heads=2, max_position_embeddings=most)
        layer = BigBirdBlockSparseAttention(config, seed=seed).train()
        np.random.seed(seed)
        if tokens in (1024, 3072, 4096):
            drawn = [layer._bigbird_block_rand_mask(most, most, 64, 64, 3, last_idx=1024)[:tokens // 64 - 2]
                     for _ in range(2)]
        else:
            plan = layer._get_rand_attn_plan(tokens, 64, 3)
            drawn = layer._bigbird_block_rand_mask_with_head(tokens, tokens, 64, 64, 2, *plan)
        values[f"{seed}.{tokens}.{most}"] = torch.from_numpy(np.stack(drawn).astype(np.int32))
    return values


if __name__ == "__main__":
    saved(streams(), "xlnet/streams.safetensors")
    saved(sparse(), "big_bird/sparse.safetensors")
    saved(drawn_blocks(), "big_bird/random_blocks.safetensors")
