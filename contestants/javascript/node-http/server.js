// Answers the scenarios values and hello with the modules http and http2 of Node.js alone.
"use strict";

const http = require("node:http");

const { delay, wait, serve } = require("./harness-node");

const value = /^\/api\/values\/-?[0-9]+$/;

async function handle(request, response) {
  let body;
  if (request.method === "GET" && value.test(request.url)) {
    body = "value";
  } else if (request.method === "GET" && request.url === "/hello") {
    body = "hello world";
  } else {
    response.writeHead(404).end();
    return;
  }
  if (delay) {
    await wait();
  }
  response.setHeader("Content-Type", "text/plain; charset=utf-8");
  response.end(body);
}

// Without TLS and HTTP/2, http2 is not loaded.
serve((port, host) => http.createServer(handle).listen(port, host), {
  tls: (port, host, pem) =>
    require("node:http2").createSecureServer({ ...pem, allowHTTP1: true }, handle).listen(port, host),
  h2c: (port, host) => require("node:http2").createServer(handle).listen(port, host),
});
