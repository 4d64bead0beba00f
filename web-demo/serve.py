"""Serve the page at a local address: python web-demo/serve.py [--port N] [--no-isolate] [--host ADDRESS]

Threads need a shared memory, which browsers give only to pages that the server isolates with the headers COOP and COEP.
`--no-isolate` leaves these out, to see the page as most static servers show it.
"""

import argparse
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import demo_tools
import site_files

ISOLATION = {"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"}


class Handler(SimpleHTTPRequestHandler):
    """A static file server with the headers that isolate a page."""

    protocol_version = "HTTP/1.1"
    extensions_map = {
        **SimpleHTTPRequestHandler.extensions_map,
        ".wasm": "application/wasm",
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".woff2": "font/woff2",
        ".py": "text/plain; charset=utf-8",
        ".whl": "application/zip",
    }

    def __init__(self, *arguments, isolate, **options):
        self.isolate = isolate
        super().__init__(*arguments, **options)

    def end_headers(self):
        if self.isolate:
            for name, value in ISOLATION.items():
                self.send_header(name, value)
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, *arguments):
        pass


def start(folder, isolate=True, host="127.0.0.1", port=0):
    """Serve a folder from a thread; returns the server and the page's address."""
    server = ThreadingHTTPServer((host, port), partial(Handler, directory=str(folder), isolate=isolate))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://{host}:{server.server_address[1]}/"


def main():
    parser = argparse.ArgumentParser(description="Serve the page at a local address.")
    parser.add_argument("--host", default="127.0.0.1", help="default: %(default)s, this machine only")
    parser.add_argument("--port", type=int, default=8000, help="default: %(default)s")
    parser.add_argument("--no-isolate", action="store_true", help="leave out the headers that threads need")
    options = parser.parse_args()
    print("Putting the page together…", flush=True)
    try:
        folder = site_files.assemble()
    except demo_tools.Missing as missing:
        sys.exit(f"The page cannot be served: {missing}")
    try:
        server, address = start(folder, not options.no_isolate, options.host, options.port)
    except OSError as error:
        sys.exit(f"Port {options.port} cannot be used ({error.strerror}); choose another with --port")
    print(f"The page is at {address}   (Ctrl-C ends it)", flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        server.shutdown()


if __name__ == "__main__":
    main()
