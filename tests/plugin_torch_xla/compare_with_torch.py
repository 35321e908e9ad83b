"""Runs PyTorch/XLA, or TorchTPU, on the software TPU and compares with torch's own CPU.

    python compare_with_torch.py LIBRARY [NAME...]

in a Python that has torch 2.9.0 and torch_xla 2.9.0 (python -m pip install torch==2.9.0 torch_xla==2.9.0), or torch and
torch_tpu (python -m pip install torch torch_tpu), which is taken where both are there; LIBRARY is libsystolic_pjrt.so.
Every case runs on the plugin in float32, and on torch's CPU in float32 and in float64. Against
float64 the plugin may be off by eight times what torch itself is in float32, which is another order of the same sums,
and by 8 units of the last place. The table shows, of the largest value, the largest differences: of the plugin from
torch, and of both from float64. Exit code 0: all agree; 1: not; 77: this Python has neither.
"""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
TIMES, FLOOR = 8, 8 * 2.0 ** -23
# What TorchTPU says of operators that it does not have, and of its kernels in a TPU's own instructions.
OWN_LACKS = ("is not implemented for TPU", "a required argument is in a failed state")


def is_there(module):
    return importlib.util.find_spec(module) is not None


def torch_tpu_device(library):
    """TorchTPU's device, which is the library's where TPU_LIBRARY_PATH names it. TorchTPU looks for a TPU on the PCI bus
    before it registers the device: it is told that there is one."""
    sys.path.insert(0, str(HERE))
    os.environ.update(TPU_LIBRARY_PATH=str(pathlib.Path(library).resolve()), TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    import torch
    from torch_tpu import _loader
    from torch_tpu._internal.utils import hardware

    hardware.get_tpu_device_count = lambda: 1
    _loader.load()
    return torch.device("tpu")


def torch_xla_device(library):
    prepare(library)
    import torch_xla

    return torch_xla.device()


def prepare(library):
    """What torch_xla reads when it is imported."""
    python = HERE.parents[1] / "plugin" / "python"
    sys.path[:0] = [str(HERE), str(python)]
    os.environ["PYTHONPATH"] = os.pathsep.join([str(python), *filter(None, [os.environ.get("PYTHONPATH")])])
    os.environ.update(PJRT_DEVICE="SYSTOLIC", SYSTOLIC_PJRT_PLUGIN=str(pathlib.Path(library).resolve()))


def off(a, b):
    """The largest difference of the largest value; of values that are not finite, whether they are the same."""
    import torch

    a, b = a.double(), b.double()
    same = (a == b) | (a.isnan() & b.isnan())
    apart = torch.where(same, torch.zeros_like(a), (a - b).abs())
    scale = torch.where(b.isfinite(), b.abs(), torch.zeros_like(b))
    worst = float(apart.max()) if apart.numel() else 0.0
    return worst / max(float(scale.max()) if scale.numel() else 0.0, 1e-30) if worst else 0.0


def compare(case, device):
    """(largest differences, what is wrong)"""
    import torch

    cpu = torch.device("cpu")
    wanted, exact = case(cpu, torch.float32), case(cpu, torch.float64)
    return compare_values([value.cpu() for value in case(device, torch.float32)], wanted, exact)


def compare_parallel(name):
    """The same for a way of parallel.py, in a process of its own."""
    import parallel
    import torch

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "result.pt")
        done = subprocess.run([sys.executable, str(HERE / "parallel.py"), name, str(path)], capture_output=True,
                              text=True, timeout=600)
        if done.returncode != 0 or not path.exists():
            lines = done.stderr.strip().splitlines() or ["no output"]
            return (0, 0, 0), next((line for line in reversed(lines) if "Error" in line), lines[-1])[:300]
        result = torch.load(path)
    collectives = parallel.collectives_on_host(result["cores"]) if result["collectives"] else []
    worst, wrong = compare_values(result["collectives"], collectives, collectives)
    if wrong:
        return worst, f"collectives: {wrong}"
    return compare_values(result["parameters"], parallel.train_on_host(torch.float32),
                          parallel.train_on_host(torch.float64))


def compare_values(got, wanted, exact):
    import torch

    if len(got) != len(wanted):
        return (0, 0, 0), f"{len(got)} results, expected {len(wanted)}"
    worst, wrong = (0, 0, 0), ""
    for i, (g, w, e) in enumerate(zip(got, wanted, exact)):
        if g.shape != w.shape or g.dtype != w.dtype:
            wrong = wrong or f"result {i}: {g.dtype}{list(g.shape)}, expected {w.dtype}{list(w.shape)}"
            continue
        if not w.is_floating_point():
            wrong = wrong or ("" if torch.equal(g, w) else f"result {i}: {(g != w).sum()} of {w.numel()} differ")
            continue
        found = off(g, w), off(g, e), off(w, e)
        worst = tuple(max(pair) for pair in zip(worst, found))
        if not found[1] <= TIMES * found[2] + FLOOR:
            wrong = wrong or f"result {i}: off by {found[1]:.1e}, torch by {found[2]:.1e}"
    return worst, wrong


def main():
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    tpu = is_there("torch_tpu")
    if not tpu and not is_there("torch_xla"):
        print("NOT TESTED: this Python has neither torch_xla nor torch_tpu")
        return SKIPPED
    device, failed = torch_tpu_device(sys.argv[1]) if tpu else torch_xla_device(sys.argv[1]), 0
    import cases_functions  # noqa: F401  they add themselves to CASES
    import cases_models  # noqa: F401
    from registry import CASES

    parallel = () if tpu else ("launch", "spmd")
    names = sys.argv[2:] or [*CASES, *parallel]
    print(f"{'':44}{'from torch':>12}{'from f64':>12}{'torch, f64':>12}")
    for name in names:
        lacks = ""
        try:
            worst, wrong = compare_parallel(name) if name in parallel else compare(CASES[name], device)
        except Exception as error:  # the other cases run all the same
            worst, wrong = (0, 0, 0), f"{type(error).__name__}: {str(error)[:300]}"
            lacks = next((words for words in OWN_LACKS if words in wrong), "")
        failed += bool(wrong) and not lacks
        print(f"{'LACKS ' if lacks else 'FAILED' if wrong else 'ok    '} {name:36} {worst[0]:12.1e}{worst[1]:12.1e}{worst[2]:12.1e} {wrong}",
              flush=True)
    print(f"{failed} of {len(names)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
