"""What the peer programs share: arguments, step times, one JSON line on standard output."""
import argparse
import json
import pathlib
import statistics
import time


def arguments(description, **defaults):
    """Parses --name value for each default given; the type is the default's."""
    parser = argparse.ArgumentParser(description=description)
    for name, default in defaults.items():
        parser.add_argument("--" + name.replace("_", "-"), type=type(default), default=default)
    return parser.parse_args()


def use_known_sizes(args):
    """Sizes that are 0 in `args` become those that benchmarks/networks.json gives args.network."""
    path = pathlib.Path(__file__).resolve().parent.parent / "networks.json"
    known = json.loads(path.read_text())[args.network]
    for name in ("batch", "size", "width"):
        setattr(args, name, getattr(args, name) or known.get(name, 0))


def step_times(step, warm_up, steps):
    """Calls step() warm_up + steps times; milliseconds of each call after the warm-up."""
    for _ in range(warm_up):
        step()
    times = []
    for _ in range(steps):
        start = time.perf_counter()
        step()
        times.append(1e3 * (time.perf_counter() - start))
    return times


def report(work, peer, version, times_ms, **more):
    """Prints the line that tools/bench reads."""
    print(json.dumps({
        "work": work, "who": peer, "version": version,
        "ms_per_step": round(statistics.median(times_ms), 4), "ms_best": round(min(times_ms), 4),
        "steps": len(times_ms), **more}), flush=True)
