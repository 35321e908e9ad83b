#!/usr/bin/env python3
"""Asks xprof, which TensorBoard shows profiles with, what it finds in one of ours.

    build/release/bin/systolic profile --folder logs        # or fit({.profile = {.steps = {10, 20}}})
    python tests/profile/check_with_xprof.py logs

Needs xprof (2.24); where TensorFlow is there, its xplane_pb2 parses the file, too. Every step, program and op of our
file must be in xprof's, with its layer as the framework's op, its line, and its time.
"""
import json
import pathlib
import sys
import tempfile


def newest(folder):
    found = sorted(pathlib.Path(folder).rglob("*.xplane.pb"), key=lambda path: path.stat().st_mtime)
    if not found:
        raise SystemExit(f"no .xplane.pb lies below {folder}")
    return found[-1]


def device_ops(path):
    """By our own file, parsed by xprof: how often each op ran, and for how many microseconds."""
    from xprof import profile_data

    ops = {}
    lines = {}
    for plane in profile_data.ProfileData.from_file(str(path)).planes:
        for line in plane.lines:
            events = list(line.events)
            lines[plane.name, line.name] = len(events)
            if line.name != "XLA Ops":
                continue
            for event in events:
                count, time = ops.get(event.name, (0, 0))
                ops[event.name] = count + 1, time + event.duration_ns / 1000
    return lines, ops


def table(path, tool):
    from xprof.convert import raw_to_tool_data

    # It leaves files of its own beside the profile.
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / path.name
        copy.write_bytes(path.read_bytes())
        data, _ = raw_to_tool_data.xspace_to_tool_data([str(copy)], tool, {})
    table = json.loads(data)
    table = table[0] if isinstance(table, list) else table
    names = [column["id"] for column in table["cols"]]
    return [dict(zip(names, (cell["v"] for cell in row["c"]))) for row in table["rows"]]


def check_with_tensorflow(path):
    try:
        from tensorflow.tsl.profiler.protobuf import xplane_pb2
    except ImportError:
        return "TensorFlow is not there"
    space = xplane_pb2.XSpace()
    space.ParseFromString(path.read_bytes())
    for plane in space.planes:
        for line in plane.lines:
            for event in line.events:
                assert event.metadata_id in plane.event_metadata, (plane.name, line.name)
                assert event.duration_ps >= 0 and event.offset_ps >= 0
        for stat in plane.stats:
            assert stat.metadata_id in plane.stat_metadata, plane.name
    return f"TensorFlow's xplane_pb2 reads {len(space.planes)} planes"


def main():
    path = newest(sys.argv[1]) if len(sys.argv) > 1 else sys.exit(__doc__)
    print(check_with_tensorflow(path))
    lines, ops = device_ops(path)
    assert any(name == "/host:CPU" for name, _ in lines), lines
    assert ops, "no ops of the device"
    seen = table(path, "hlo_stats")
    count, time = 0, 0.0
    for row in seen:
        ours = ops[row["hlo_op_expression"]]
        count += int(row["occurrences"])
        time += row["total_time"]
        assert ours[0] >= row["occurrences"], row
    assert count == sum(of[0] for of in ops.values()), count
    assert abs(time - sum(of[1] for of in ops.values())) < 1e-3 * time, time
    frameworks = {row["operation"] for row in table(path, "framework_op_stats")}
    print(f"xprof finds {count} runs of {len(seen)} ops, {time / 1000:.3f} ms, as {len(frameworks)} ops of the framework:")
    for row in sorted(seen, key=lambda one: -one["total_self_time"])[:5]:
        print(f"  {row['total_self_time']:10.1f} us  {row['hlo_op_expression']} in {row['tf_op_name']}")


if __name__ == "__main__":
    main()
