"""Step time of transformers' models in PyTorch, with random weights: the time does not depend on them.

Training has fused AdamW and attention by SDPA; --mode compiled adds torch.compile. A model whose name says `predict`, and
vit, are run without gradients: --mode eager, predict (traced), onnxruntime or openvino.
"""
import resource

import timing
import torch
import transformers
from torch import nn

ARGS = timing.arguments(__doc__, model="minilm", batch=0, length=0, dropout=0.1, steps=10, warm_up=3, mode="eager")


def minilm():
    return transformers.BertForSequenceClassification(transformers.BertConfig(
        vocab_size=30522, hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536,
        hidden_dropout_prob=ARGS.dropout, attention_probs_dropout_prob=ARGS.dropout, num_labels=2))


def gpt2():
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(
        resid_pdrop=ARGS.dropout, embd_pdrop=ARGS.dropout, attn_pdrop=ARGS.dropout))


def smollm():
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(
        vocab_size=49152, hidden_size=576, intermediate_size=1536, num_hidden_layers=30, num_attention_heads=9,
        num_key_value_heads=3, max_position_embeddings=2048, tie_word_embeddings=True))


def smollm_lora():
    import peft
    return peft.get_peft_model(smollm(), peft.LoraConfig(r=8, lora_alpha=8, target_modules=["q_proj", "v_proj"]))


def vit(**sizes):
    return lambda: transformers.ViTForImageClassification(transformers.ViTConfig(**sizes))


def sentences():
    shape = (ARGS.batch, ARGS.length)
    return {"input_ids": torch.randint(1000, 30000, shape), "attention_mask": torch.ones(shape, dtype=torch.long),
            "token_type_ids": torch.zeros(shape, dtype=torch.long), "labels": torch.randint(0, 2, (ARGS.batch,))}


def texts():
    ids = torch.randint(0, 49000, (ARGS.batch, ARGS.length))
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": ids}


def pictures():
    return {"pixel_values": torch.rand(ARGS.batch, 3, 224, 224), "labels": torch.randint(0, 2, (ARGS.batch,))}


SMALL = {"hidden_size": 384, "num_attention_heads": 6, "intermediate_size": 1536}
# name: (batch, length, trains, model, inputs), as in benchmarks/transformer_step.cc
MODELS = {
    "minilm": (32, 64, True, minilm, sentences),
    "minilm_predict": (1, 64, False, minilm, sentences),
    "gpt2": (8, 128, True, gpt2, texts),
    "smollm": (4, 512, True, smollm, texts),
    "smollm_lora": (4, 512, True, smollm_lora, texts),
    "vit": (8, 0, False, vit(), pictures),
    "vit_base": (8, 0, True, vit(), pictures),
    "vit_small": (32, 0, True, vit(**SMALL), pictures),
}


def training(model, batch):
    model.train()
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=2e-5, fused=True)
    called = torch.compile(model) if ARGS.mode == "compiled" else model

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = called(**batch).loss
        loss.backward()
        optimizer.step()
        return loss.item()
    return step


class Logits(nn.Module):
    """What engines for inference take: arrays by position, and one result."""
    def __init__(self, model, names):
        super().__init__()
        self.model, self.names = model, names

    def forward(self, *arrays):
        return self.model(**dict(zip(self.names, arrays))).logits


def prediction(model, batch):
    batch.pop("labels")
    logits = Logits(model, list(batch)).eval()
    if ARGS.mode != "eager":
        import torch_predictors
        return torch_predictors.PREDICTORS[ARGS.mode](logits, tuple(batch.values()))

    def step():
        with torch.inference_mode():
            return logits(*batch.values())
    return step


def main():
    batch, length, trains, build, inputs = MODELS[ARGS.model]
    ARGS.batch, ARGS.length = ARGS.batch or batch, ARGS.length or length
    torch.manual_seed(0)
    step = (training if trains else prediction)(build(), inputs())
    times = timing.step_times(step, ARGS.warm_up, ARGS.steps)
    timing.report(ARGS.model, f"pytorch {ARGS.mode}", torch.__version__, times, batch=ARGS.batch,
                  peak_memory_bytes=1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


main()
