"""A headless Chromium, asked by its DevTools protocol: a page as people see it, for tests."""
import base64
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import urllib.parse
import urllib.request

PATIENCE = 120  # seconds, for what takes a moment


def chromium():
    """Its path; None where it is not installed."""
    return next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)


class WebSocket:
    """RFC 6455, as far as DevTools needs it: texts, whole, from a server on this machine."""

    def __init__(self, url):
        place = urllib.parse.urlparse(url)
        self.socket = socket.create_connection((place.hostname, place.port), timeout=PATIENCE)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(f"GET {place.path} HTTP/1.1\r\nHost: {place.netloc}\r\nUpgrade: websocket\r\n"
                            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            answer += self.read(1)
        if b" 101 " not in answer:
            raise OSError(f"no web socket: {answer!r}")

    def read(self, size):
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            if not part:
                raise OSError("the browser has closed the connection")
            data += part
        return data

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        if len(data) < 126:
            size = bytes([0x80 | len(data)])
        elif len(data) < 65536:
            size = b"\xfe" + struct.pack(">H", len(data))
        else:
            size = b"\xff" + struct.pack(">Q", len(data))
        self.socket.sendall(b"\x81" + size + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(data)))

    def receive(self):
        text = b""
        while True:
            first, size = self.read(2)
            if size == 126:
                size = struct.unpack(">H", self.read(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self.read(8))[0]
            data = self.read(size)
            if first & 0x0F in (0, 1):
                text += data
                if first & 0x80:
                    return text.decode()


class Browser:
    """One window of it. What the page's scripts throw is in `errors`."""

    def __init__(self, width=1280, height=900):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.process = subprocess.Popen(
            [chromium(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-port=0",
             f"--user-data-dir={self.folder.name}", "about:blank"], stderr=subprocess.PIPE, text=True)
        self.errors, self.number = [], 0
        said = ""
        while not (found := re.search(r"DevTools listening on ws://([^/]+)/", said)):
            line = self.process.stderr.readline()
            if not line:
                raise OSError(f"Chromium does not start:\n{said}")
            said += line
        request = urllib.request.Request(f"http://{found.group(1)}/json/new?about:blank", method="PUT")
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            self.socket = WebSocket(json.load(answer)["webSocketDebuggerUrl"])
        for domain in ("Page", "Runtime", "Log", "Performance", "HeapProfiler"):
            self.ask(f"{domain}.enable")
        self.size(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.socket.close()
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()
        self.folder.cleanup()

    def ask(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.receive())
            if answer.get("method") == "Runtime.exceptionThrown":
                self.errors.append(answer["params"]["exceptionDetails"])
            elif answer.get("method") == "Log.entryAdded" and answer["params"]["entry"]["level"] == "error":
                self.errors.append(answer["params"]["entry"])
            elif answer.get("id") == self.number:
                if "error" in answer:
                    raise OSError(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, url):
        self.ask("Page.navigate", url=url)

    def size(self, width, height=900):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name):
        """"light" or "dark"."""
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def value(self, script):
        """Of an expression in the page, as JSON has it; a promise is waited for."""
        result = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise OSError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def heap_bytes(self):
        self.ask("HeapProfiler.collectGarbage")
        metrics = self.ask("Performance.getMetrics")["metrics"]
        return next(one["value"] for one in metrics if one["name"] == "JSHeapUsedSize")

    def picture(self, path):
        data = self.ask("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
