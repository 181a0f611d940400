// Answers the scenario sessions with Express and the sessions of express-session in memory, in a cluster of one process for each CPU.
"use strict";

const express = require("express");
const session = require("express-session");
const MemoryStore = require("memorystore")(session);

const { delay, wait, serveCluster } = require("./harness-node");

const minute = 60 * 1000;
const app = express();

app.use(session({
  name: ".cookiesession.id",
  secret: "a secret of the benchmark",
  cookie: { maxAge: minute },
  store: new MemoryStore({ checkPeriod: minute }),
  resave: false,
  saveUninitialized: false,
}));

app.get("/setget", async (req, res) => {
  if (delay) {
    await wait();
  }
  req.session.key = "value";
  res.type("text/plain").send(req.session.key);
});

serveCluster((port, host) => app.listen(port, host), {
  tls: (port, host, pem) => require("node:https").createServer(pem, app).listen(port, host),
});
