"""Pictures, drawn as SVG from what stands in the tree: guides, golden values, the scorecard.

Colours come from style.css, so that a picture is light or dark with its page. Each has a title and a description for
those who cannot see it.
"""
import html
import json
import math
import re

LETTER = 6.6  # width of a small letter, in units of the picture


def all_pictures(root):
    """(page of docs, heading, figure): the figure follows the first paragraph under that heading."""
    made = [("life_of_fit", "the-life-of-modelfit", life(root)), ("torch_xla", "what-runs", curves(root)),
            ("monitor", "what-the-numbers-mean", core_time(root)), ("scorecard", "scorecard", claims(root)),
            ("scorecard", "growth", growth(root))]
    return [each for each in made if each[2]]


def figure(name, title, description, width, height, parts, caption):
    text = (f'<figure class="picture"><svg viewBox="0 0 {width} {height}" role="img" aria-labelledby="{name}-title {name}-words">'
            f'<title id="{name}-title">{html.escape(title)}</title><desc id="{name}-words">{html.escape(description)}</desc>')
    return text + "".join(parts) + f"</svg><figcaption>{caption}</figcaption></figure>"


def text(x, y, words, kind="", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{html.escape(words)}</text>'


# --- the life of a step ---
def life(root):
    """Boxes of the numbered parts of docs/life_of_fit.md, with the loops of steps and epochs around them."""
    source = root / "docs/life_of_fit.md"
    parts = re.findall(r"^(\d+)\. \*\*(.+?)\.?\*\*", source.read_text(), re.M) if source.exists() else []
    if len(parts) < 9:
        return None
    width, left, box, step = 720, 130, 340, 52
    drawn = []
    for k, (number, title) in enumerate(parts):
        y = 20 + k * step
        drawn.append(f'<rect x="{left}" y="{y}" width="{box}" height="34" rx="8" class="{box_kind(int(number))}"/>')
        drawn.append(text(left + 16, y + 22, number, "number") + text(left + 42, y + 22, title.split(",")[0], "label"))
        if k + 1 < len(parts):
            drawn.append(f'<path d="M{left + box / 2} {y + 34}v{step - 40}" class="arrow" marker-end="url(#head)"/>')
    at = {int(number): 20 + k * step + 17 for k, (number, _) in enumerate(parts)}
    drawn.append(loop(left + box, at[7], at[6], 46, "each step"))
    drawn.append(loop(left + box, at[8], at[2], 136, "each epoch"))
    drawn.append(f'<path d="M{left - 14} {at[3] - 17}h-12V{at[5] + 17}h12" class="brace"/>')
    drawn += [text(left - 34, (at[3] + at[5]) / 2 - 4, "once for", "side", "end"), text(left - 34, (at[3] + at[5]) / 2 + 12, "each shape", "side", "end")]
    head = '<defs><marker id="head" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0.8L7 4 0 7.2z" class="tip"/></marker></defs>'
    names = ", then ".join(title for _, title in parts)
    return figure("life", "The life of a step", names, width, 30 + len(parts) * step, [head, *drawn],
                  "What happens in <code>fit</code>: the numbers are those below. Tracing, differentiating and compiling are done "
                  "once for each shape of batch; only the tinted parts run again.")


def box_kind(number):
    return "once" if number in (3, 4, 5) else "again" if number in (2, 6, 7, 8) else "plain"


def loop(x, start, end, out, words):
    middle = (start + end) / 2
    return (f'<path d="M{x} {start}h{out - 12}q12 0 12 -12V{end + 12}q0 -12 -12 -12H{x + 3}" class="arrow" marker-end="url(#head)"/>'
            + text(x + out + 8, middle + 4, words, "side"))


# --- loss curves ---
def curves(root):
    """Losses of fifty steps under four optimizers, from the golden values that our own runs are held to."""
    source = root / "tests/golden/data/torch.json"
    trained = json.loads(source.read_text()).get("trained", {}) if source.exists() else {}
    shown = [name for name in ("SGD", "SGD, momentum", "Adam", "AdamW") if name in trained]
    if not shown:
        return None
    width, height, left, top, right, bottom = 720, 300, 56, 16, 150, 40
    values = [value for name in shown for value in trained[name]["losses"]]
    low, high = min(values), max(values)
    steps = len(trained[shown[0]]["losses"])

    def place(k, value):
        return left + k / (steps - 1) * (width - left - right), top + (high - value) / (high - low) * (height - top - bottom)

    drawn = []
    for tick in ticks(low, high):
        y = place(0, tick)[1]
        drawn.append(f'<path d="M{left} {y:.1f}H{width - right}" class="grid"/>' + text(left - 8, y + 4, f"{tick:g}", "tick", "end"))
    for k in range(0, steps, 10):
        drawn.append(text(place(k, low)[0], height - bottom + 20, str(k), "tick", "middle"))
    drawn.append(text((left + width - right) / 2, height - 4, "step", "side", "middle") + text(left, top - 4, "loss", "side", "end"))
    labels = []
    for k, name in enumerate(shown):
        points = " ".join("{:.1f},{:.1f}".format(*place(at, value)) for at, value in enumerate(trained[name]["losses"]))
        drawn.append(f'<polyline points="{points}" class="curve series{k + 1}"/>')
        labels.append((place(steps - 1, trained[name]["losses"][-1])[1], k, name))
    last = -math.inf
    for y, k, name in sorted(labels):
        last = max(y, last + 17)
        drawn.append(text(width - right + 10, last + 4, name, f"label ink{k + 1}"))
    return figure("curves", "Loss curves", f"Losses of {steps} steps with {', '.join(shown)}", width, height, drawn,
                  "Two layers, fifty steps: the losses that PyTorch gives, from which those of <code>xmp::spawn</code> on 1, 2 and 8 "
                  "ordinals differ by at most 1e-5 (<code>golden_test</code>).")


def ticks(low, high):
    step = 10 ** math.floor(math.log10((high - low) / 3))
    step *= next(factor for factor in (1, 2, 5, 10) if (high - low) / (step * factor) <= 6)
    return [k * step for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


# --- the monitor ---
def core_time(root):
    """What a core's time is made of, as the screen in docs/monitor.md shows it."""
    source = root / "docs/monitor.md"
    row = re.search(r"^ +0 +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+ \w+)", source.read_text(), re.M) if source.exists() else None
    if not row:
        return None
    mxu, padded, busy, waits, idle = (float(row.group(k)) for k in range(1, 6))
    width, left, span = 720, 20, 680
    drawn, x = [], left
    for share, kind in ((busy, "busy"), (waits, "waits"), (idle, "idle")):
        size = max(span * share / 100, 3)
        drawn.append(f'<rect x="{x:.1f}" y="34" width="{size:.1f}" height="34" class="{kind}"/>')
        x += size
    edge = left + span * busy / 100
    drawn.append(text(left + span * busy / 200, 88, f"busy {busy:g} %", "label", "middle"))
    drawn.append(f'<path d="M{edge + 1:.1f} 68v12" class="arrow"/>' + text(edge + 4, 94, f"input wait {waits:g} %", "label", "end"))
    drawn.append(text(left + span, 24, f"idle {idle:g} %", "label", "end"))
    inside = span * busy / 100
    drawn.append(f'<rect x="{left}" y="44" width="{inside * padded / 100:.1f}" height="14" class="padded"/>')
    drawn.append(f'<rect x="{left}" y="44" width="{max(inside * mxu / 100, 1.5):.1f}" height="14" class="mxu"/>')
    drawn.append(text(left, 24, f"matrix unit: MXU {mxu:g} %, padded {padded:g} %", "side"))
    return figure("core", "A core's time", f"busy {busy} %, input wait {waits} %, idle {idle} %", width, 104, drawn,
                  "A core’s last ten seconds, as the screen above has them. Each moment is busy, input wait or idle; within the busy "
                  "time, the narrow bar is the matrix unit’s work with padding, and without.")


# --- the scorecard ---
def claims(root):
    """Ratios of docs/scorecard.md against their bounds: how much of what is allowed was used."""
    source = root / "docs/scorecard.md"
    rows = re.findall(r"^\| [^|]+ \| ([≤≥]) ([\d.]+) × \| `\./run bench (?:--\w+ \w+ )*(\w+)`[^|]*\| (?:\*\*missed\*\*: )?([\d.]+) ×",
                      source.read_text(), re.M) if source.exists() else []
    bars = [(name, sign, float(bound), float(value)) for sign, bound, name, value in rows]
    if not bars:
        return None
    bars.sort(key=lambda bar: bar[3] / bar[2] if bar[1] == "≤" else bar[2] / bar[3])
    width, left, right, row = 720, 168, 190, 23
    reach = 1.6
    scale = (width - left - right) / reach
    drawn = []
    for k, (name, sign, bound, value) in enumerate(bars):
        used = value / bound if sign == "≤" else bound / value
        y = 12 + k * row
        drawn.append(text(left - 10, y + 12, name, "tick", "end"))
        drawn.append(f'<rect x="{left}" y="{y}" width="{min(used, reach) * scale:.1f}" height="15" rx="3" class="{"met" if used <= 1 else "missed"}"/>')
        drawn.append(text(left + max(min(used, reach), 1) * scale + 10, y + 12, f"{value:g} × of {sign} {bound:g} ×", "tick"))
    drawn.append(f'<path d="M{left + scale:.1f} 4V{12 + len(bars) * row}" class="bound"/>')
    missed = [name for name, sign, bound, value in bars if (value > bound if sign == "≤" else value < bound)]
    return figure("claims", "Claims and their bounds", f"{len(bars)} ratios; missed: {', '.join(missed) or 'none'}", width, 24 + len(bars) * row, drawn,
                  "The first figure of each row below that claims a ratio, as a part of what its bound allows: left of the line the "
                  "claim holds. Rows by <code>./run bench NAME</code>.")


# --- growth ---
def growth(root):
    """The curves of docs/growth, side by side, without the style that they have where they stand alone."""
    files = sorted((root / "docs/growth").glob("*.svg"))
    drawn = [with_our_style(path.stem, path.read_text()) for path in files]
    if not drawn:
        return None
    return (f'<figure class="picture several">{"".join(drawn)}<figcaption>Axes are logarithmic: a straight line is a power of '
            "the size.</figcaption></figure>")


def with_our_style(name, drawn):
    title = re.search("<title>(.*?)</title>", drawn).group(1)
    drawn = re.sub("<style>.*?</style>", "", drawn, flags=re.S)
    drawn = drawn.replace(f"<title>{title}</title>", f'<title id="growth-{name}">{title}</title>', 1)
    return drawn.replace('role="img"', f'role="img" aria-labelledby="growth-{name}"', 1).replace(' xmlns="http://www.w3.org/2000/svg"', "", 1)
