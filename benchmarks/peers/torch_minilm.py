"""Step time of fine-tuning MiniLM-L6 in PyTorch: transformers' BERT with two labels, fused AdamW, attention by SDPA.

Weights are random: the time does not depend on them.
"""
import resource

import timing
import torch
import transformers


def main():
    args = timing.arguments(__doc__, batch=32, length=64, dropout=0.1, steps=10, warm_up=3)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=30522, hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536,
        hidden_dropout_prob=args.dropout, attention_probs_dropout_prob=args.dropout, num_labels=2)
    model = transformers.BertForSequenceClassification(config).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5, fused=True)
    shape = (args.batch, args.length)
    batch = {"input_ids": torch.randint(1000, 30000, shape), "attention_mask": torch.ones(shape, dtype=torch.long),
             "token_type_ids": torch.zeros(shape, dtype=torch.long), "labels": torch.randint(0, 2, (args.batch,))}

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = model(**batch).loss
        loss.backward()
        optimizer.step()
        return loss.item()

    times = timing.step_times(step, args.warm_up, args.steps)
    timing.report("minilm", "pytorch", torch.__version__, times, batch=args.batch,
                  peak_memory_bytes=1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


main()
