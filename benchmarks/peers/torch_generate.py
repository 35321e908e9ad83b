"""Time of a call of generate in PyTorch: transformers' GPT-2 small, keys and values kept, the likeliest token each time.

Weights and prompts are random: the time does not depend on them. No token ends a text.
"""
import resource
import time

import timing
import torch
import transformers


def main():
    args = timing.arguments(__doc__, batch=1, prompt=32, tokens=64, steps=3, warm_up=1)
    torch.manual_seed(0)
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config()).eval()
    model.generation_config.eos_token_id = None
    ids = torch.randint(0, 50000, (args.batch, args.prompt))
    mask = torch.ones_like(ids)

    def step():
        with torch.no_grad():
            made = model.generate(input_ids=ids, attention_mask=mask, max_new_tokens=args.tokens, do_sample=False,
                                  use_cache=True, pad_token_id=0)
        assert made.shape == (args.batch, args.prompt + args.tokens)

    start = time.perf_counter()
    step()
    first = 1e3 * (time.perf_counter() - start)
    times = timing.step_times(step, args.warm_up - 1, args.steps)
    timing.report("generate", "pytorch", torch.__version__, times, batch=args.batch, first_step_ms=round(first, 4),
                  peak_memory_bytes=1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


main()
