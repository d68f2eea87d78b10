"""A proxy before a house, as `docs/home-server.md` puts one there: 502 in its place while it does not answer."""

import http.server
import threading
from http import HTTPStatus

import requests

HOP_BY_HOP = {"connection", "content-length", "date", "server", "transfer-encoding"}
SECONDS = 30.0


class Proxy:
    """`with Proxy(url) as before`: the address to open instead."""

    def __init__(self, url: str) -> None:
        class Forward(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                try:
                    answer = requests.get(url + self.path, headers=dict(self.headers), stream=True, timeout=SECONDS)
                    body = answer.raw.read(decode_content=False)
                except requests.RequestException:
                    self.send_error(HTTPStatus.BAD_GATEWAY)
                    return
                self.send_response(answer.status_code)
                for name, value in answer.headers.items():
                    if name.lower() not in HOP_BY_HOP:
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Forward)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> str:
        self._thread.start()
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
