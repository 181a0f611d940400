"""The same service in Python, with its standard library alone."""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Hello(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # keeps connections open
    wbufsize = -1  # head and body in one packet, else each answer waits for a delayed ACK

    def do_GET(self):
        body = b'{"hello":"world"}'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 128  # of five, most of 125 connections at once would be lost


Server(("127.0.0.1", int(os.environ["PORT"])), Hello).serve_forever()
