"""A headless Chromium that looks at pages from the disk, and what every page must keep to."""

import base64
import json
import shutil
import subprocess
import sys
from pathlib import Path

SKIPPED = 77  # CTest's SKIP_RETURN_CODE
WIDTHS = (1280, 375)
# Relative luminance and contrast by WCAG 2.2, of every element that has text of its own.
CONTRAST = """
const channel = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
const parse = (text) => { const n = text.match(/[\\d.]+/g).map(Number); return { rgb: n.slice(0, 3), a: n.length > 3 ? n[3] : 1 }; };
const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const ground = (element) => {
  const layers = [];
  for (let e = element; e; e = e.parentElement) {
    const c = parse(getComputedStyle(e).backgroundColor);
    if (c.a > 0) layers.push(c);
    if (c.a === 1) break;
  }
  let rgb = [255, 255, 255];
  for (const c of layers.reverse()) rgb = rgb.map((v, i) => v * (1 - c.a) + c.rgb[i] * c.a);
  return rgb;
};
const bad = [];
for (const e of document.querySelectorAll("body *")) {
  const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.nodeValue.trim());
  if (!own || !e.checkVisibility() || e.closest("svg, script, .skip")) continue;
  const a = light(parse(getComputedStyle(e).color).rgb), b = light(ground(e));
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) bad.push(`${e.tagName}.${e.className}: ${ratio.toFixed(2)}`);
}
return [...new Set(bad)].slice(0, 5);
"""


def skip(why):
    print(f"SKIPPED: {why}; scripts/install-deps --with-browser installs it")
    sys.exit(SKIPPED)


def make_driver():
    chromium, chromedriver = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not chromedriver:
        skip("no chromium and chromedriver here")
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        skip("no python3-selenium here")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service(chromedriver))


class Browser:
    """Opens one page after another and collects what is wrong with them."""

    def __init__(self, binary, root, folder):
        self.binary, self.root, self.folder = binary, root, Path(folder)
        self.driver = make_driver()
        self.failures, self.checks = [], 0
        self.name = ""

    def check(self, what, good, seen=""):
        self.checks += 1
        if not good:
            self.failures.append(f"{self.name}: {what}" + (f": {seen}" if seen != "" else ""))

    def js(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def emulate(self, width, scheme):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                    {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500})

    def write(self, name, command):
        """The page of a command; its exit code may be 0 or 1."""
        path = self.folder / f"{name}.html"
        run = subprocess.run([self.binary, *command.split(), "--report", f"html={path}"], cwd=self.root,
                             capture_output=True, text=True)
        self.name = name
        self.check("exit code of " + command, run.returncode in (0, 1), run.stderr)
        return path

    def open(self, path):
        """What holds for every page, then the page as a desktop in light colours shows it."""
        for scheme in ("dark", "light"):
            for width in reversed(WIDTHS):
                self.emulate(width, scheme)
                self.driver.get(path.as_uri())
                overflow = self.js("return document.documentElement.scrollWidth - window.innerWidth")
                self.check(f"no horizontal overflow at {width} px", overflow <= 0, overflow)
            self.check(f"contrast in {scheme} colours", not (bad := self.js(CONTRAST)), bad)
        self.common()

    def common(self):
        self.check("one h1", self.js("return document.querySelectorAll('h1').length") == 1)
        self.check("language and title", self.js("return document.documentElement.lang === 'en' && document.title !== ''"))
        self.check("ids are unique", self.js(
            "const ids = [...document.querySelectorAll('[id]')].map((e) => e.id); return new Set(ids).size === ids.length"))
        self.check("links of the page lead somewhere", self.js(
            "return [...document.querySelectorAll('a')].every((a) => document.querySelector(a.getAttribute('href')))"))
        self.check("every field has a label", self.js(
            "return [...document.querySelectorAll('input, select')].every((e) => e.closest('label') !== null)"))
        self.check("drawings have words", self.js(
            "return [...document.querySelectorAll('svg[role=img]')].every((e) => (e.getAttribute('aria-label') || '') !== '')"))
        console = [entry["message"] for entry in self.driver.get_log("browser")]
        self.check("nothing on the console", not console, console[:3])
        urls = set()
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                urls.add(message["params"]["request"]["url"])
        outside = [url for url in urls if not url.startswith(("file:", "data:"))]
        self.check("no request leaves the page", not outside and len(urls) >= 1, outside)

    def tab_order(self, presses):
        """What has the focus after each press of Tab, from the top of the page."""
        from selenium.webdriver.common.keys import Keys
        self.driver.refresh()
        names = []
        for _ in range(presses):
            self.driver.switch_to.active_element.send_keys(Keys.TAB)
            names.append(self.js("const e = document.activeElement; return `${e.tagName}:${(e.innerText || e.value || '').trim().slice(0, 30)}`"))
        return names

    def screenshot(self, path, width=1280, scheme="light"):
        self.emulate(width, scheme)
        height = min(4000, self.js("return document.documentElement.scrollHeight"))
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {
            "captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}})
        Path(path).write_bytes(base64.b64decode(shot["data"]))

    def pages_printed(self):
        """How many sheets of paper the page takes, and their bytes."""
        pdf = base64.b64decode(self.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"])
        return pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page/") + pdf.count(b"/Type /Page "), pdf
