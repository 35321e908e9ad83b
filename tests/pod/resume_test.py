"""resume_test.py SYSTOLIC ENDED_FIT [steps]: a run of several processes writes its files once, ends at one step when one of them is asked
to, and comes to what the run came to that was left alone. With "steps" it keeps checkpoints in steps, which the processes
write in parts; another number of processes goes on from them."""
import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

systolic, program = sys.argv[1:3]
in_steps = sys.argv[3:]
deadline = 240
draw = random.Random(7)


def check(holds, what):
    if not holds:
        sys.exit("FAILED: " + what)
    print("ok:", what)


def start(processes, folder):
    return subprocess.Popen([systolic, "pod", "run", "-n", str(processes), "--", program, folder, *in_steps],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def whole_run(processes, folder):
    running = start(processes, folder)
    text = running.communicate(timeout=deadline)[0]
    check(running.returncode == 0, f"{processes} processes train to the end" + ("" if running.returncode == 0 else text))
    with open(f"{folder}/result", encoding="utf-8") as file:
        return text, file.read()


def workers_of(parent):
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True, check=False)
    return [int(word) for word in listed.stdout.split()]


def ended(processes, folder, epoch, end):
    """The run, ended once it is in that epoch; what it said."""
    running = start(processes, folder)
    text = ""
    for line in running.stdout:
        text += line
        if line.startswith(f"Epoch {epoch}/"):
            break
    end(running)
    text += running.communicate(timeout=deadline)[0]
    return running.returncode, text


def ask_all(running):
    running.send_signal(signal.SIGTERM)


def ask_all_again_and_again(running):
    """As a launcher does, which signals its children and the group."""
    for _ in range(3):
        running.send_signal(signal.SIGTERM)
        for worker in workers_of(running.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signal.SIGTERM)


def ask_the_last(running):
    os.kill(workers_of(running.pid)[-1], signal.SIGTERM)


def ask_one_after_the_other(running):
    for worker in workers_of(running.pid):
        with contextlib.suppress(ProcessLookupError):  # all may have ended
            os.kill(worker, signal.SIGTERM)
        time.sleep(draw.uniform(0, 0.3))


def kill_one(running):
    os.kill(draw.choice(workers_of(running.pid)), signal.SIGKILL)


def check_files(folder, count, end):
    found = sorted(os.listdir(f"{folder}/backup"))
    if in_steps:
        last = f"{folder}/backup/" + [name for name in found if name.startswith("step_")][-1]
        if os.path.exists(last + "/commit_success.txt"):
            wanted = ["commit_success.txt", "state.safetensors",
                      *(f"state-{i:05}-of-{count:05}.safetensors" for i in range(1, count))]
            check(set(wanted) <= set(os.listdir(last)), f"each process has written its part: {os.listdir(last)}")
        else:
            check(end is kill_one, "what was not killed is whole")
        return
    if end is kill_one:  # perhaps while process 0 wrote
        found = [name for name in found if ".tmp-" not in name] + ["state.safetensors"]
    check({name for name in found if name not in ("owner.lock", "previous.safetensors")} == {"state.safetensors"},
          f"one state is saved: {found}")


def others_go_on():
    """From a checkpoint of three processes, two, one and four."""
    for count in (2, 1, 4):
        with tempfile.TemporaryDirectory() as folder:
            ended(3, folder, 5, ask_all)
            text, _ = whole_run(count, folder)
            check("goes on in epoch" in text, f"{count} processes go on from the parts of three")


for count in (2, 3):
    with tempfile.TemporaryDirectory() as whole_folder:
        said, whole = whole_run(count, whole_folder)
        check("[1] Epoch" not in said, "only process 0 shows its progress")
        found = sorted(os.listdir(whole_folder))
        check(found == ["backup", "best.safetensors", "log.csv", "result"], f"files are written once: {found}")
    for what, end, codes in (("all are asked to end", ask_all, {143}), ("the last is asked to end", ask_the_last, {143}),
                             ("one after the other is asked to end", ask_one_after_the_other, {143}),
                             ("all are asked again and again", ask_all_again_and_again, {143}),
                             ("one is killed", kill_one, {1, 137})):
        with tempfile.TemporaryDirectory() as folder:
            for at in (2, draw.randrange(5, 30)):
                code, said = ended(count, folder, at, end)
                check(code in codes, f"{what}: exit code {code}" + ("" if code in codes else "\n" + said))
                if end is not kill_one:
                    check("Interrupted by SIGTERM after step" in said, "which is said")
            check_files(folder, count, end)
            said, taken_up = whole_run(count, folder)
            check(taken_up == whole, f"{what}: the run that is taken up is the run that was never ended")
if in_steps:
    others_go_on()
