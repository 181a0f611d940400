// Answers the scenarios values and hello with Express.
"use strict";

const express = require("express");

const { delay, wait, serve } = require("./harness-node");

const app = express();

app.get("/api/values/:id", async (req, res, next) => {
  if (!/^-?[0-9]+$/.test(req.params.id)) {
    return next();
  }
  if (delay) {
    await wait();
  }
  res.type("text/plain").send("value");
});

app.get("/hello", async (req, res) => {
  if (delay) {
    await wait();
  }
  res.type("text/plain").send("hello world");
});

serve((port, host) => app.listen(port, host), {
  tls: (port, host, pem) => require("node:https").createServer(pem, app).listen(port, host),
});
