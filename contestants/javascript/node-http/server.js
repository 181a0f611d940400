// Answers the scenarios values and hello with the http module of Node.js alone.
"use strict";

const http = require("node:http");

const { delay, wait, serve } = require("./harness-node");

const value = /^\/api\/values\/-?[0-9]+$/;

const server = http.createServer(async (request, response) => {
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
});

serve((port, host) => server.listen(port, host));
