"""Which page a reader who wants to do something opens. A page of docs that is not named here stands under "More"."""

# (what one wants to do, in a sentence for the first page, pages of docs without ".md")
GROUPS = [
    ("Start", "The first program, what runs it, and the mistakes that everybody makes once.",
     ["README", "install", "use_tpus", "mistakes"]),
    ("Train a model", "Layers, losses, optimizers and callbacks; the loop of `fit`, or one of your own.",
     ["keras", "torch_xla", "embeddings", "saving", "numbers"]),
    ("Feed it data", "Pipelines that keep the device busy; texts, pictures and tables.",
     ["input", "tf_data", "datasets", "tokenizers"]),
    ("Use models that others trained", "Weights and tokenizers from a folder of Hugging Face's; programs of other frameworks.",
     ["hugging_face", "pretrained_models", "transformers", "fine_tuning", "stablehlo", "jax"]),
    ("Run and watch it", "On this processor, on a TPU, on several machines; what it does meanwhile.",
     ["devices", "software_tpu", "processes", "monitor", "profile"]),
    ("Change the library", "How it is built, and where a new op or layer goes.",
     ["design", "life_of_fit", "add_an_op", "add_a_layer", "CONTRIBUTING"]),
    ("Trust it", "What is claimed and how it is shown; versions and their promises.",
     ["scorecard", "versions", "CHANGELOG", "SECURITY"]),
]

# Shorter than the page's own heading, for the list at the side.
SHORT = {
    "README": "Overview", "use_tpus": "“Use TPUs”, line by line", "keras": "Keras, line by line", "torch_xla": "PyTorch/XLA, line by line",
    "tf_data": "tf.data, line by line", "datasets": "Data sets, line by line", "transformers": "transformers, line by line", "life_of_fit": "The life of fit()",
    "mistakes": "Common mistakes", "CONTRIBUTING": "Contributing", "CHANGELOG": "Changelog", "SECURITY": "Security",
    "versions": "Versions", "processes": "Several processes", "saving": "Saving models", "stablehlo": "StableHLO programs",
}


def sources(root):
    """Markdown files of the site: name to path, README first."""
    found = {"README": root / "README.md"}
    for path in sorted((root / "docs").glob("*.md")):
        found[path.stem] = path
    for name in ("CONTRIBUTING", "CHANGELOG", "SECURITY"):
        if (root / f"{name}.md").exists():
            found[name] = root / f"{name}.md"
    return found


def output_name(name):
    return "index.html" if name == "README" else f"{name.lower()}.html"


def groups(names):
    """GROUPS with those of `names` that exist, and the others at the end."""
    placed = {page for _, _, pages in GROUPS for page in pages}
    others = [name for name in names if name not in placed]
    listed = [(title, about, [page for page in pages if page in names]) for title, about, pages in GROUPS]
    if others:
        listed.append(("More", "What else there is.", others))
    return [group for group in listed if group[2]]
