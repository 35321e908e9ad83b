#!/usr/bin/env python3
"""What XLNet writes: greedy continuations of prompts, each by itself, as transformers' generate gives them with use_mems=False.

    python systolic/transformers/golden/make_xlnet_generated.py      # transformers 5.23, torch 2.15

xlnet/generated.safetensors: input_ids and attention_mask [3, 7], padded in front, and bi, uni [3, 7 + 10] for two types of attention.
Prints by how much the chosen tokens lead: rounding must not choose another.
"""
import torch
import transformers
from safetensors.torch import save_file

import make_models

STARTS, NEW_TOKENS, NEVER, PADDING = [0, 3, 5], 10, 59, 0


def main():
    torch.manual_seed(11)
    ids = torch.randint(5, 55, (3, 7))
    arrays = dict(input_ids=ids.to(torch.int32), attention_mask=torch.ones(3, 7, dtype=torch.int32))
    for row, start in enumerate(STARTS):
        arrays["input_ids"][row, :start], arrays["attention_mask"][row, :start] = PADDING, 0
    for kind in ("bi", "uni"):
        model = transformers.XLNetLMHeadModel.from_pretrained(make_models.HERE / "xlnet", attn_type=kind, dtype=torch.float32).eval()
        rows, lead = [], []
        for row, start in enumerate(STARTS):
            got = model.generate(ids[row:row + 1, start:], max_new_tokens=NEW_TOKENS, do_sample=False, use_mems=False, eos_token_id=NEVER,
                                 pad_token_id=PADDING, return_dict_in_generate=True, output_scores=True)
            rows.append(torch.cat([torch.full((start,), PADDING), got.sequences[0]]))
            top = torch.cat(got.scores).topk(2).values
            lead.append((top[:, 0] - top[:, 1]).min().item())
        arrays[kind] = torch.stack(rows).to(torch.int32)
        print(kind, arrays[kind].tolist(), "lead", min(lead))
    save_file(arrays, make_models.HERE / "xlnet" / "generated.safetensors")


if __name__ == "__main__":
    main()
