// Answers the scenarios values and hello with Express, in a cluster of one process for each CPU.
"use strict";

const express = require("express");

const { delay, wait, serveCluster } = require("./harness-node");

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

serveCluster((port, host) => app.listen(port, host), {
  tls: (port, host, pem) => require("node:https").createServer(pem, app).listen(port, host),
});
