"""Headless Chromium by the WebDriver protocol (W3C), with nothing but chromedriver and the standard library."""
import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

# No browser service of its own may ask for anything: what is left is what the page asks for.
ARGUMENTS = ["--headless=new", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", "--disable-extensions", "--window-size=1280,1000", "--force-device-scale-factor=1"]

DIRECTLY = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class BrowserError(Exception):
    """What chromedriver says."""


class Browser:
    """Use it in a with statement: what was started ends with it."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="farcast-chromium-")
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.session = None
        try:
            for line in self.driver.stdout:
                if found := re.search(r"successfully on port (\d+)", line):
                    self.address = f"http://127.0.0.1:{found[1]}/session"
                    break
            options = {"args": [*ARGUMENTS, f"--user-data-dir={self.profile}", *(["--no-sandbox"] if os.geteuid() == 0 else [])],
                       "binary": shutil.which("chromium")}
            wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
            self.session = self.ask("", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.session:
            try:
                self.ask("", method="DELETE")
            except (BrowserError, OSError):
                pass
        self.driver.terminate()
        self.driver.wait()
        self.driver.stdout.close()
        for _ in range(20):  # Chromium writes into it while it ends
            shutil.rmtree(self.profile, ignore_errors=True)
            if not os.path.exists(self.profile):
                break
            time.sleep(0.1)

    def ask(self, path, body=None, method="POST"):
        place = self.address + (f"/{self.session}" if self.session else "") + path
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(place, data=data, method=method, headers={"Content-Type": "application/json"})
        try:
            with DIRECTLY.open(request, timeout=100) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise BrowserError(json.load(error)["value"]["message"]) from None

    def open(self, path):
        """Returns: seconds until the page was loaded and drawn: two frames after its scripts were done."""
        self.ask("/url", {"url": "about:blank"})
        self.requests(), self.complaints()  # of the browser's own first page
        begin = time.monotonic()
        self.ask("/url", {"url": "file://" + str(path)})
        self.ask("/execute/async", {"script": "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()));", "args": []})
        return time.monotonic() - begin

    def run(self, script, *arguments):
        """Returns: what the function body returns."""
        return self.ask("/execute/sync", {"script": script, "args": list(arguments)})

    def devtools(self, command, **parameters):
        return self.ask("/goog/cdp/execute", {"cmd": command, "params": parameters})

    def click(self, selector):
        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        x, y = self.run("const r = document.querySelector(arguments[0]).getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2];", selector)
        self.drag((x, y))

    def drag(self, begin, end=None):
        """Presses the mouse at one place of the window and lets it go at another one, or at the same."""
        x, y = begin
        self.devtools("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", clickCount=1)
        if end:
            for share in (0.3, 0.7, 1):
                self.devtools("Input.dispatchMouseEvent", type="mouseMoved", x=x + share * (end[0] - x), y=y + share * (end[1] - y), button="left")
            x, y = end
        self.devtools("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, button="left", clickCount=1)
        self.ask("/execute/async", {"script": "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()));", "args": []})

    def complaints(self):
        """Returns: warnings and errors of the console since the last call."""
        return [entry["message"] for entry in self.ask("/se/log", {"type": "browser"}) if entry["level"] in ("WARNING", "SEVERE")]

    def requests(self):
        """Returns: the addresses that the page asked for since the last call."""
        events = [json.loads(entry["message"])["message"] for entry in self.ask("/se/log", {"type": "performance"})]
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("/screenshot", method="GET")))
