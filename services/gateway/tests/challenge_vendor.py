"""A vendor of challenges on a port of its own: script, frame and verifier, as Turnstile's."""

from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

SITE_KEY = "public"
SECRET = "shared"

# Draws a frame of its own host into the page, is told by it and calls back, as the vendors' do.
_SCRIPT = """
(() => {
  const own = new URL(document.currentScript.src);
  const shown = [];
  addEventListener("message", ({ data, origin, source }) => {
    if (origin !== own.origin) return;
    const { frame, options } = shown.find(({ frame }) => frame.contentWindow === source);
    if (frame.isConnected) options[data.call](data.token);
  });
  window.turnstile = {
    render(place, options) {
      const frame = document.createElement("iframe");
      frame.title = "Widget";
      frame.src = `${own.origin}/frame?sitekey=${encodeURIComponent(options.sitekey)}`;
      frame.style.border = "0";
      shown.push({ frame, options });
      place.append(frame);
      fetch(`${own.origin}/api.js`);
    },
  };
  setTimeout(() => window[own.searchParams.get("onload")]());
})();
"""
_FRAME = """<!doctype html><html lang="en"><title>Widget</title>
<button data-call="callback">I am a person</button>
<button data-call="expired-callback">Wait too long</button>
<script>
  addEventListener("click", ({{ target }}) =>
    parent.postMessage({{ call: target.dataset.call, token: "{token}" }}, "*"));
</script></html>"""


@dataclass(slots=True)
class Vendor:
    """What it was asked, and what it answers.

    Attributes:
        address: Its host.
        tokens: What the next frames answer; only `right` is verified.
        forms: What was verified.
        site_keys: Of the frames that were shown.
    """

    address: str = ""
    tokens: deque[str] = field(default_factory=deque)
    forms: list[dict[str, str]] = field(default_factory=list)
    site_keys: list[str] = field(default_factory=list)

    @property
    def settings(self) -> dict[str, str]:
        """Of a gateway that asks for its challenges."""
        return {
            "gateway_challenge_url": f"{self.address}/siteverify",
            "gateway_challenge_secret": SECRET,
            "gateway_challenge_site_key": SITE_KEY,
        }

    async def script(self, _request: web.Request) -> web.Response:
        headers = {"Access-Control-Allow-Origin": "*"}
        return web.Response(text=_SCRIPT, content_type="text/javascript", headers=headers)

    async def frame(self, request: web.Request) -> web.Response:
        self.site_keys.append(request.query["sitekey"])
        token = self.tokens.popleft() if self.tokens else "right"
        return web.Response(text=_FRAME.format(token=token), content_type="text/html")

    async def verify(self, request: web.Request) -> web.Response:
        form = {name: str(value) for name, value in (await request.post()).items()}
        self.forms.append(form)
        return web.json_response({"success": form["response"] == "right"})


@asynccontextmanager
async def open_vendor() -> AsyncIterator[Vendor]:
    """A running vendor."""
    vendor = Vendor()
    app = web.Application()
    app.router.add_get("/api.js", vendor.script)
    app.router.add_get("/frame", vendor.frame)
    app.router.add_post("/siteverify", vendor.verify)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    vendor.address = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield vendor
    finally:
        await runner.cleanup()
