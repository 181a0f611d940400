// Answers TechEmpower's contracts, values and hello with node:http, pg and Handlebars.
"use strict";

const { readFileSync } = require("node:fs");
const http = require("node:http");

const Handlebars = require("handlebars");
const { Pool } = require("pg");

const { serve } = require("./harness-node");
const db = require("./node-pg")(new Pool({ connectionString: process.env.DATABASE_URL, idleTimeoutMillis: 0 }));

const page = Handlebars.compile(readFileSync(`${__dirname}/views/fortunes.hbs`, "utf8"));
const value = /^\/api\/values\/-?[0-9]+$/;

const text = (body) => ["text/plain; charset=utf-8", body];
const json = (body) => ["application/json", JSON.stringify(body)];
const html = (body) => ["text/html; charset=utf-8", body];

const routes = new Map(Object.entries({
  "/hello": () => text("hello world"),
  "/plaintext": () => text("Hello, World!"),
  "/json": () => json({ message: "Hello, World!" }),
  "/db": async () => json(await db.world()),
  "/queries": async (query) => json(await db.worlds(query.get("queries"))),
  "/updates": async (query) => json(await db.update(query.get("queries"))),
  "/cached-queries": async (query) => json(await db.cached(query.get("count"))),
  "/fortunes": async () => html(page({ fortunes: await db.fortunes() })),
}));

async function handle(request, response) {
  const [path, query] = request.url.split("?");
  const route = value.test(path) ? () => text("value") : routes.get(path);
  if (request.method !== "GET" || !route) {
    response.writeHead(404).end();
    return;
  }
  try {
    const [type, body] = await route(new URLSearchParams(query));
    response.setHeader("Server", "node");
    response.setHeader("Content-Type", type);
    response.end(body);
  } catch (err) {
    console.error(err);
    response.writeHead(500).end();
  }
}

serve((port, host) => http.createServer(handle).listen(port, host));
