#!/usr/bin/env python3
"""with_emulator.py TEST TOOL: starts gcp-storage-emulator, runs the C++ test and the tfrecord tool against it."""
import os
import socket
import subprocess
import sys
import tempfile
import time

SERVER = """
import sys
from gcp_storage_emulator.server import create_server
server = create_server("127.0.0.1", int(sys.argv[1]), in_memory=True, default_bucket="bucket")
server.start()
sys.stdin.read()
server.stop()
"""
SKIPPED = 77
MOST_SHOWN = 4000  # bytes of the server's output


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_open(port, server, log, seconds=30):
    end = time.monotonic() + seconds
    while time.monotonic() < end and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.1)
    state = "still runs" if server.poll() is None else f"ended with exit code {server.returncode}"
    log.seek(max(0, log.seek(0, os.SEEK_END) - MOST_SHOWN))
    sys.exit(f"the emulator did not start: it {state}\n" + log.read().decode(errors="replace"))


def check_tool(tool, environment):
    """Records that the test wrote are verified, dealt out anew in the bucket, and read back."""
    def run(*arguments, expected=0):
        done = subprocess.run([tool, "tfrecord", *arguments], env=environment, capture_output=True, text=True)
        if done.returncode != expected:
            sys.exit(f"tfrecord {arguments}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    assert "100 records, both checksums" in run("verify", "gs://bucket/records/all.tfrec")
    run("shard", "gs://bucket/records/all.tfrec", "--output", "gs://bucket/records/part", "--shards", "3")
    text = run("info", "gs://bucket/records/part-*")
    assert "3 files, 100 records" in text, text
    with tempfile.TemporaryDirectory() as folder:
        run("repair", "gs://bucket/records/part-*", "--output", folder)
        assert len(os.listdir(folder)) == 3
    assert "NotFound: cannot read 'gs://bucket/none'" in run("verify", "gs://bucket/none", expected=1)


def main():
    test, tool = sys.argv[1:3]
    python = os.environ.get("SYSTOLIC_STORAGE_EMULATOR_PYTHON", "none")
    if python == "none":
        print("SKIPPED: SYSTOLIC_STORAGE_EMULATOR_PYTHON names no Python with gcp-storage-emulator; ./run tests does")
        return SKIPPED
    port = free_port()
    log = tempfile.TemporaryFile()
    server = subprocess.Popen([python, "-c", SERVER, str(port)], stdin=subprocess.PIPE, stdout=log, stderr=log)
    try:
        wait_until_open(port, server, log)
        environment = dict(os.environ, STORAGE_EMULATOR_HOST=f"127.0.0.1:{port}")
        subprocess.run([test], env=environment, check=True)
        check_tool(tool, environment)
    finally:
        server.kill()
        server.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
