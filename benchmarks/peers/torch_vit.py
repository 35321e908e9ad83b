"""Time of a batch through ViT-base in PyTorch: transformers' ViTForImageClassification, attention by SDPA."""
import resource

import timing
import torch
import transformers


def main():
    args = timing.arguments(__doc__, batch=8, steps=5, warm_up=2)
    torch.manual_seed(0)
    model = transformers.ViTForImageClassification(transformers.ViTConfig()).eval()
    pictures = torch.rand(args.batch, 3, 224, 224)

    def step():
        with torch.inference_mode():
            return model(pictures).logits[0, 0].item()

    times = timing.step_times(step, args.warm_up, args.steps)
    timing.report("vit", "pytorch", torch.__version__, times, batch=args.batch,
                  peak_memory_bytes=1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


main()
