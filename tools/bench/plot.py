"""Curves on logarithmic axes, as SVG that is light or dark as the page is."""
import html
import math

WIDTH, HEIGHT = 420, 300
LEFT, RIGHT, TOP, BOTTOM = 62, 14, 30, 44
COLOURS = ["#2f6fd0", "#c2571a", "#2e8b57", "#8a4fbf"]
STYLE = """<style>
text { font: 12px system-ui, sans-serif; fill: #333 } .grid { stroke: #8885; stroke-width: 1 }
.line { fill: none; stroke-width: 2 } .ideal { fill: none; stroke: #888; stroke-width: 1; stroke-dasharray: 4 4 }
@media (prefers-color-scheme: dark) { text { fill: #ddd } }
</style>"""


class Scale:
    """From numbers to pixels, by their logarithms."""

    def __init__(self, least, most, begin, end, decades=0):
        self.low, self.high = math.log10(least), math.log10(most)
        missing = max(0, decades - (self.high - self.low)) / 2
        self.low, self.high = self.low - missing, self.high + missing
        self.begin, self.end = begin, end

    def __call__(self, number):
        share = (math.log10(number) - self.low) / (self.high - self.low)
        return self.begin + share * (self.end - self.begin)

    def ticks(self):
        """1, 2 and 5 times each power of ten between the ends; powers alone where these are many."""
        steps = (1, 2, 5) if self.high - self.low < 2.5 else (1,)
        numbers = [step * 10.0**power for power in range(math.floor(self.low), math.ceil(self.high) + 1) for step in steps]
        return [number for number in numbers if self.low - 1e-9 <= math.log10(number) <= self.high + 1e-9]


def label(number):
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= size:
            return f"{number / size:g} {unit}"
    return f"{number:g}"


def _points(curve, x, y):
    return " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in curve)


def _grid(x, y):
    lines = []
    for number in x.ticks():
        lines.append(f'<line class="grid" x1="{x(number):.1f}" x2="{x(number):.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
                     f'<text x="{x(number):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{label(number)}</text>')
    for number in y.ticks():
        lines.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(number):.1f}" y2="{y(number):.1f}"/>'
                     f'<text x="{LEFT - 6}" y="{y(number) + 4:.1f}" text-anchor="end">{label(number)}</text>')
    return lines


def svg(title, x_name, curves):
    """`curves`: {name: [(x, y), ...]}; those whose name begins with "ideal" are dashed."""
    numbers = [point for curve in curves.values() for point in curve]
    x = Scale(min(a for a, _ in numbers), max(a for a, _ in numbers), LEFT, WIDTH - RIGHT)
    y = Scale(min(b for _, b in numbers), max(b for _, b in numbers), HEIGHT - BOTTOM, TOP, decades=1)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">', STYLE,
             f"<title>{html.escape(title)}</title>",
             f'<text x="{LEFT}" y="18" style="font-weight: bold">{html.escape(title)}</text>', *_grid(x, y),
             f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{html.escape(x_name)}</text>']
    named = 0
    for name, curve in curves.items():
        if name.startswith("ideal"):
            parts.append(f'<polyline class="ideal" points="{_points(curve, x, y)}"/>')
            continue
        colour = COLOURS[named % len(COLOURS)]
        parts.append(f'<polyline class="line" stroke="{colour}" points="{_points(curve, x, y)}"/>')
        parts += [f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="3" fill="{colour}"/>' for a, b in curve]
        parts.append(f'<text x="{LEFT + 8}" y="{TOP + 14 + 15 * named}" style="fill:{colour}">{html.escape(name)}</text>')
        named += 1
    return "\n".join([*parts, "</svg>", ""])
