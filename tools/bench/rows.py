"""What is measured: one row per claim of docs/scorecard.md.

A command is a list of words; {bin} is the folder of our programs, {python} the peers' interpreter, {peers} the folder
of their programs, {data} the MNIST files, {minilm} the model, {sentences} lines of text, {texts} what tokenizer_inputs
makes. Every program prints one JSON object on its last line.
"""
import dataclasses
import json
import pathlib
import random

NETWORK_SIZES = json.loads((pathlib.Path(__file__).resolve().parents[2] / "benchmarks/networks.json").read_text())


@dataclasses.dataclass(frozen=True)
class Claim:
    """ours[key] / other[key] (ours[key] alone, without a peer) must be at most or at least a limit.

    With `difference`, both are lists, and the largest difference of two elements takes the ratio's place.
    """
    text: str
    key: str
    limit: float
    at_least: bool = False
    difference: bool = False

    def value(self, ours, other):
        if self.difference:
            if len(ours[self.key]) != len(other[self.key]):
                return float("inf")
            return max(abs(a - b) for a, b in zip(ours[self.key], other[self.key]))
        return ours[self.key] / other[self.key] if other else ours[self.key]

    def holds(self, value):
        return value >= self.limit if self.at_least else value <= self.limit


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    ours: list
    claims: list
    other: list = None          # None: a figure of our own
    others: tuple = ()          # several peers: each runs once, and the one with the lowest figure is the pair's other
    needs: str = ""             # "peers", "amx", "no amx", "mnist"
    runs: int = 0               # 0: as many runs or pairs as asked for
    seeds: tuple = ()           # runs differ by --seed
    first: tuple = ()           # a command that makes what the others read

    @property
    def is_pair(self):
        return self.other is not None or bool(self.others)


def fit(filters, *more, steps=5, warm_up=2):
    return ["{bin}/fit_convnet", "--filters", str(filters), "--steps", str(steps), "--warm-up", str(warm_up), *more]


def peer(script, *more):
    return ["{python}", "{peers}/" + script, *more]


def jax(script, *more):
    """A JAX program on our plugin, and the same on JAX's CPU backend."""
    return [peer(script, "--platform", platform, *more) for platform in ("systolic", "cpu")]


def jax_functions():
    """Single functions on our plugin against JAX's CPU backend: one run of each times them all."""
    ours, other = jax("jax_functions.py")
    return Row("jax_functions", ours, [Claim(f"JAX on our plugin against its CPU backend: {name}", name, 1.5)
                                       for name in JAX_FUNCTIONS], other=other, needs="peers")


def jax_network(name, text):
    """A network's training step on our plugin against JAX's CPU backend."""
    ours, other = jax("jax_network.py", "--network", name)
    return Row(f"jax_{name}", ours, [Claim(f"JAX on our plugin against its CPU backend: {text}", "ms_per_step", 0.6)],
               other=other, needs="peers")


def loading(form, limit):
    return Row(f"load_{form}", ["{bin}/load_weights", "--form", form],
               [Claim(f"loading 500 MB from the page cache, .{form}, GB/s", "gigabytes_per_second", limit, at_least=True)])


def watched(name, text, limit, *more):
    """A step that is watched against one that is not, in turns within one process."""
    return Row(f"watched_{name}", ["{bin}/watched_step", "--folder", "build/bench/watched", *more],
               [Claim(f"{text}: step against one that nobody watches", "watched_over_plain", limit)])


def generate(batch, limit):
    return Row(f"generate_{batch}", ["{bin}/generate_text", "--batch", str(batch)],
               [Claim(f"GPT-2 small, 64 tokens after 32, batch {batch}, against PyTorch", "ms_per_step", limit)],
               other=peer("torch_generate.py", "--batch", str(batch)), needs="peers")


def accuracy(cores):
    return Row(f"accuracy_{cores}", ["{bin}/mnist", "--data", "{data}", "--filters", "32", "--epochs", "3",
                                     "--cores", str(cores), "--json", "{json}"],
               [Claim("test accuracy, 3 epochs, median of 3 seeds", "test_accuracy", 0.975, at_least=True)],
               needs="mnist", runs=3, seeds=(1, 2, 3))


def picture(form, text, limit, who):
    """Pictures a second: our benchmark draws the files that the peer then reads."""
    return Row(f"image_jpeg_{form}", ["{bin}/image_jpeg", "--dir", "{pictures}", "--form", form],
               [Claim(text, "pictures_per_second", limit, at_least=True)],
               other=peer("image_jpeg.py", "--dir", "{pictures}", "--who", who), needs="peers")


def parquet(form, text):
    """Seconds of one pass over the same file of text columns, from the page cache, one thread each."""
    return Row(f"parquet_{form}", ["{bin}/parquet_read", "{parquet}", "--form", form],
               [Claim(text, "best_pass_seconds", 1.0)],
               other=peer("parquet_read.py", "--file", "{parquet}", "--form", form), needs="peers",
               first=tuple(peer("parquet_read.py", "--file", "{parquet}", "--write", "1")))


def tokenizer(name, text, limit, *arguments):
    """One thread each, on the same file of lines with the same vocabulary."""
    return Row(f"tokenizer_{name}", ["{bin}/tokenizer_bench", *arguments, "3"],
               [Claim(text, "texts_per_s", limit, at_least=True)], other=peer("tokenizers_batch.py", *arguments, "3"),
               needs="peers", first=("{bin}/tokenizer_inputs", "{texts}"))


@dataclasses.dataclass(frozen=True)
class Network:
    """A network of benchmarks/networks.json, in which its sizes stand, against the best peer."""
    name: str
    text: str
    limit: float
    jit: bool = True  # TensorFlow with XLA and torch.compile are tried as well

    def sizes(self, seed):
        """As named; with a seed each size is drawn within a quarter of it, in steps of 8."""
        named = NETWORK_SIZES[self.name]
        if seed is not None:
            draw = random.Random(f"{seed} {self.name}")
            named = {name: max(8, round(size * draw.uniform(0.75, 1.25) / 8) * 8) for name, size in named.items()}
        return [word for name, size in named.items() for word in ("--" + name, str(size))]

    def row(self, seed):
        sizes, steps = self.sizes(seed), ["--steps", "5", "--warm-up", "2"]
        keras = ["{python}", "{peers}/keras_network.py", "--network", self.name, *sizes, *steps]
        torch = ["{python}", "{peers}/torch_network.py", "--network", self.name, *sizes, *steps]
        others = [keras, torch]
        if self.jit:
            others += [keras + ["--jit", "1"], keras + ["--backend", "jax"], torch + ["--mode", "compiled"],
                       torch + ["--channels-last", "0"]]
        shown = " ".join(sizes).replace("--", "")
        return Row(self.name, ["{bin}/network_step", self.name, *sizes, *steps],
                   [Claim(f"{self.text} ({shown}) against the best peer", "ms_per_step", self.limit)],
                   others=tuple(others), needs="peers")


def table(name, optimizer, dense):
    """A step with a table of embeddings against PyTorch's EmbeddingBag."""
    words = [word for size, number in NETWORK_SIZES[name].items() for word in ("--" + size, str(number))]
    words += ["--steps", "20", "--warm-up", "3"]
    kind, limit = ("dense", 0.1) if dense else ("sparse", 0.5)
    return Row(f"{name}_{kind}", ["{bin}/network_step", name, *words],
               [Claim(f"a table's step, {optimizer}, against PyTorch's with {kind} gradients", "ms_per_step", limit)],
               other=peer("torch_network.py", "--network", name, *words, "--dense", str(int(dense))), needs="peers")


def height(name, optimizer):
    """The same step with a table that is four times as high."""
    step = ["{bin}/network_step", name, "--steps", "20", "--warm-up", "3", "--size"]
    return Row(f"{name}_height", step + ["4000000"],
               [Claim(f"a table's step, {optimizer}, 4,000,000 rows against 1,000,000: time", "ms_per_step", 1.2)],
               other=step + ["1000000"])


def transformer(model, text, limit, *more, modes=("eager", "compiled"), steps=("5", "2")):
    """A model of benchmarks/transformer_step.cc against PyTorch, whose fastest mode counts."""
    words = ["--model", model, "--steps", steps[0], "--warm-up", steps[1]]
    return Row(model, ["{bin}/transformer_step", "--cores", "1", *words], [Claim(text, "ms_per_step", limit), *more],
               others=tuple(peer("torch_transformer.py", *words, "--mode", mode) for mode in modes), needs="peers")


def prediction(name, text, limit):
    """One prediction of a network of benchmarks/networks.json against the best engine for inference."""
    sizes = NETWORK_SIZES[name] | {"batch": 1}
    words = [word for size, number in sizes.items() for word in ("--" + size, str(number))]
    torch = ["{python}", "{peers}/torch_network.py", "--network", name, *words, "--steps", "50", "--warm-up", "10"]
    return Row(f"predict_{name}", ["{bin}/network_predict", name, *words],
               [Claim(f"{text}, one prediction, against the best of ONNX Runtime, OpenVINO and PyTorch", "ms_per_step",
                      limit)],
               others=tuple(torch + ["--mode", mode] for mode in ("onnxruntime", "openvino", "predict")),
               needs="peers")


NETWORKS = [
    Network("mlp_wide", "MLP step", 0.7),
    Network("lstm", "LSTM step", 0.6),
    Network("gru", "GRU step", 0.6),
    Network("conv_transpose", "transposed convolution, step", 0.6),
    Network("unet", "a small U-Net, step", 0.6),
    Network("conv1d", "1-D convolution, step", 0.6),
    Network("conv3d", "3-D convolution, step", 0.6),
    Network("depthwise", "depthwise convolution, step", 0.6),
    Network("mobilenet_v2", "MobileNetV2 step", 0.6),
    Network("efficientnet_b0", "EfficientNetB0 step", 0.6),
    Network("resnet50", "ResNet-50 step", 0.6),
    Network("dlrm", "DLRM step, 26 tables", 0.5),
]
# Those of tables: against sparse gradients, against dense ones, and against a lower table.
TABLES = {"embedding_sgd": "SGD", "embedding_adagrad": "Adagrad", "embedding_lazy_adam": "lazy Adam"}


MLP = ["{bin}/fit_mlp", "--batch", "32"]
LOOP = ["{bin}/custom_loop_step", "--filters", "32", "--steps", "20", "--warm-up", "3"]
INPUT = ["{bin}/input_pipeline", "--dir", "{tfrecords}"]
RECORDS = ["--dir", "{records}", "--record-bytes"]

MINILM = ["{bin}/transformer_step", "--steps", "10", "--warm-up", "3"]

JAX_CONVNET = jax("jax_convnet.py", "--filters", "256", "--steps", "1", "--warm-up", "1")
JAX_BLOCK = jax("jax_transformer.py", "--steps", "20", "--warm-up", "3")
JAX_MLP = jax("jax_mlp.py")
JAX_FUNCTIONS = ["qr_16", "inv_16", "cholesky_16", "solve_16", "eigh_16", "svd_16", "qr_512", "inv_512", "cholesky_512",
                 "solve_512", "eigh_512", "svd_512", "fft_1024", "fft_prime_1009", "fft_prime_10007", "fft_prime_101",
                 "rfft2_512", "irfft2_512", "rfft2_64", "take_along_axis_columns", "take_along_axis_one",
                 "take_along_axis_rows", "take_along_axis_sort", "int8_dot_512", "int8_dot_64", "int8_dot_row"]
FOUR_LAYERS = ["--layers", "4", "--vocabulary", "1000", "--dropout", "0.1", "--steps", "1", "--warm-up", "0"]


def rows(seed=None):
    """All of them; `seed` draws sizes of networks around those that are named."""
    tables = [table(name, optimizer, dense) for name, optimizer in TABLES.items() for dense in (False, True)]
    tables += [height(name, optimizer) for name, optimizer in TABLES.items()]
    return FIXED + [network.row(seed) for network in NETWORKS] + tables


FIXED = [
    prediction("mlp_wide", "MLP 784-1024-1024-10", 0.9),
    prediction("mobilenet_v2", "MobileNetV2", 0.9),
    Row("convnet256", fit(256), [Claim("step against TensorFlow fit, 256 filters", "ms_per_step", 0.6)],
        other=peer("tf_convnet.py", "--filters", "256", "--steps", "5"), needs="peers"),
    Row("convnet32", fit(32, steps=30, warm_up=5),
        [Claim("step against TensorFlow fit, 32 filters", "ms_per_step", 0.6)],
        other=peer("tf_convnet.py", "--filters", "32", "--steps", "30", "--warm-up", "5"), needs="peers"),
    Row("convnet32_torch", fit(32, steps=30, warm_up=5),
        [Claim("step against PyTorch, 32 filters", "ms_per_step", 0.6)],
        other=peer("torch_convnet.py", "--filters", "32", "--steps", "30", "--warm-up", "5"), needs="peers"),
    Row("winograd_error", ["{bin}/winograd_error"],
        [Claim("Winograd, relative rms error, worst of forward and gradients", "relative_rms_error", 1e-5)], runs=1),
    Row("cores", fit(32, "--cores", "8", steps=30, warm_up=5),
        [Claim("fit on 8 cores against 1: time", "ms_per_step", 1.05),
         Claim("fit on 8 cores against 1: peak memory", "peak_memory_bytes", 1.05)],
        other=fit(32, "--cores", "1", steps=30, warm_up=5)),
    Row("losses", fit(32, "--cores", "8", steps=50, warm_up=0),
        [Claim("losses of 50 steps on 8 cores and on 1, largest difference", "losses", 1e-4, difference=True)],
        other=fit(32, "--cores", "1", steps=50, warm_up=0), runs=1),
    Row("custom_loop", LOOP + ["--cores", "8"],
        [Claim("custom loop on 8 cores against 1: time", "ms_per_step", 1.25),
         Claim("custom loop on 8 cores against 1: peak memory", "peak_memory_bytes", 1.4)],
        other=LOOP + ["--cores", "1"]),
    Row("bf16", fit(32, "--precision", "bf16", steps=30, warm_up=5),
        [Claim("mixed_bfloat16 against f32, no AMX", "ms_per_step", 1.05)],
        other=fit(32, steps=30, warm_up=5), needs="no amx"),
    Row("bf16_amx", fit(256, "--precision", "bf16"),
        [Claim("mixed_bfloat16 against f32, AMX", "ms_per_step", 0.25)], other=fit(256), needs="amx"),
    Row("mlp", MLP, [Claim("MLP step against jitted JAX", "ms_per_step", 0.5)],
        other=peer("jax_mlp.py"), needs="peers"),
    Row("steps_per_execution", MLP + ["--steps-per-execution", "50"],
        [Claim("MLP step, steps_per_execution 50 against 1", "ms_per_step", 0.6)], other=MLP),
    watched("mlp_sinks", "MLP, all sinks on", 1.02, "--sinks"),
    watched("convnet_sinks", "MNIST convnet, all sinks on", 1.005, "--sinks", "--network", "convnet", "--steps", "60"),
    watched("mlp_profile", "MLP, profile on", 1.1, "--profile"),
    watched("mlp_pages", "MLP, 100 pages open, one of which reads a byte a second", 1.02, "--pages", "100"),
    Row("compile", fit(256, steps=1, warm_up=0), [Claim("compiling the convnet's train step, ms", "compile_ms", 300)]),
    Row("first_step", MLP + ["--steps", "1", "--warm-up", "0"],
        [Claim("program start to first finished MLP step, ms", "first_step_ms", 250)]),
    Row("input_map", INPUT + ["--form", "map"],
        [Claim("input against tf.data, map before batch", "records_per_second", 8, at_least=True)],
        other=peer("tf_data_mnist.py", "--form", "map", "--dir", "{tfrecords}"), needs="peers"),
    Row("input_batch", INPUT + ["--form", "batch"],
        [Claim("input against tf.data, batch before map", "records_per_second", 3, at_least=True)],
        other=peer("tf_data_mnist.py", "--form", "batch", "--dir", "{tfrecords}"), needs="peers"),
    Row("tfrecord_100k", ["{bin}/tfrecord_read", *RECORDS, "100000"],
        [Claim("TFRecords of 100 kB, both checksums checked, one thread, GB/s", "gigabytes_per_second", 3.5,
               at_least=True)]),
    Row("tfrecord_1k", ["{bin}/tfrecord_read", *RECORDS, "1000"],
        [Claim("TFRecords of 1 kB against tf.data's batched reading, one thread", "records_per_second", 5,
               at_least=True)],
        other=peer("tf_data_records.py", *RECORDS, "1000"), needs="peers"),
    parquet("batches", "1 GB of text columns in Parquet against pyarrow, batch by batch, one thread"),
    parquet("table", "1 GB of text columns in Parquet against pyarrow, as a table, one thread"),
    picture("equal", "JPEG to normalized floats against tf.data, equal pixels, one thread", 1.3, "tensorflow"),
    picture("scaled", "the same with scaled decoding", 2, "tensorflow"),
    picture("antialias", "the same against Pillow", 2, "pillow"),
    Row("jax_convnet", JAX_CONVNET[0],
        [Claim("JAX on our plugin against its CPU backend, convnet, 256 filters", "ms_per_step", 1 / 8)],
        other=JAX_CONVNET[1], needs="peers"),
    Row("jax_transformer", JAX_BLOCK[0], [Claim("the same, a transformer block", "ms_per_step", 0.8)],
        other=JAX_BLOCK[1], needs="peers"),
    Row("jax_mlp", JAX_MLP[0], [Claim("the same, MLP, batch 32", "ms_per_step", 1)], other=JAX_MLP[1], needs="peers"),
    jax_network("lstm_lm", "LSTM language model, 32 × 64 tokens"),
    jax_network("mobilenet_v2", "MobileNetV2, batch 16"),
    jax_network("gpt2", "GPT-2 small, 8 × 128 tokens"),
    jax_network("dlrm", "DLRM, 26 tables, batch 2048"),
    jax_functions(),
    Row("jax_compile", jax("jax_transformer.py", *FOUR_LAYERS)[0],
        [Claim("compiling a 4-layer transformer's train step from JAX, ms", "compile_ms", 500)], needs="peers"),
    Row("minilm", MINILM, [Claim("fine-tuning MiniLM-L6 against PyTorch with fused AdamW", "ms_per_step", 0.6)],
        other=peer("torch_transformer.py", "--steps", "10", "--warm-up", "3"), needs="peers"),
    Row("minilm_cores", MINILM + ["--cores", "8"], [Claim("the same on 8 cores against 1: time", "ms_per_step", 1.05)],
        other=MINILM + ["--cores", "1"]),
    Row("minilm_spawn", ["{bin}/spawn_step", "--steps", "10", "--warm-up", "3"],
        [Claim("MiniLM's sizes, xmp::spawn on 8 ordinals against fit on 8 cores: time", "ms_per_step", 1.15),
         Claim("the same: peak memory", "peak_memory_bytes", 1.1)],
        other=MINILM + ["--model", "distilbert_small", "--dropout", "0", "--cores", "8"]),
    Row("minilm_bf16", MINILM + ["--precision", "bf16"],
        [Claim("the same in mixed_bfloat16 against f32, no AMX", "ms_per_step", 1.05)], other=MINILM, needs="no amx"),
    Row("minilm_bf16_amx", MINILM + ["--precision", "bf16"],
        [Claim("the same in mixed_bfloat16 against f32, AMX", "ms_per_step", 0.35)], other=MINILM, needs="amx"),
    transformer("vit", "ViT-base, inference, batch 8", 0.75, modes=("eager",)),
    transformer("vit_base", "ViT-base, training step, batch 8", 0.7),
    transformer("vit_small", "ViT-small, training step, batch 32", 0.7),
    transformer("gpt2", "GPT-2 small, training step, 8 × 128 tokens", 0.6),
    transformer("smollm", "SmolLM-135M's shape, training step, 4 × 512 tokens", 0.7,
                Claim("the same: peak memory", "peak_memory_bytes", 0.8)),
    transformer("smollm_lora", "the same with LoRA of queries and values, against peft", 0.6),
    transformer("minilm_predict", "MiniLM, one prediction of 64 tokens, against the best of ONNX Runtime, OpenVINO and"
                " PyTorch", 0.9, modes=("predict", "onnxruntime", "openvino"), steps=("50", "10")),
    tokenizer("offsets", "WordPiece with offsets against tokenizers' encode_batch", 15,
              "{minilm}/tokenizer.json", "{sentences}", "offsets"),
    tokenizer("ids", "WordPiece, ids, against tokenizers' encode_batch_fast", 20,
              "{minilm}/tokenizer.json", "{sentences}", "ids"),
    tokenizer("bpe", "byte-level BPE on 10 MB, ids, against tokenizers' encode_batch_fast", 20,
              "{texts}/bpe.json", "{texts}/prose.txt", "ids"),
    Row("first_prediction", ["{bin}/fine_tune_steps", "{minilm}"],
        [Claim("program start to first prediction with MiniLM, seconds", "first_prediction_s", 0.3)]),
    generate(1, 0.9),
    generate(8, 0.7),
    Row("input_wait", ["{bin}/mnist", "--data", "digits", "--filters", "32", "--epochs", "1", "--json", "{json}"],
        [Claim("input wait in fit on MNIST, 32 filters, share of the step", "input_wait_share", 0.01)]),
    loading("safetensors", 1.5),
    loading("keras", 0.8),
    Row("checkpoint", ["{bin}/checkpoint_step"],
        [Claim("steps while a checkpoint of 500 MB is written, against steps without", "step_ratio", 1.05),
         Claim("memory for it, in copies of the weights", "memory_copies", 1.1)]),
    accuracy(1),
    accuracy(8),
]
