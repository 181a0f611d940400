// Answers TechEmpower's contracts, values and hello with Bun.serve, Bun's SQL client and Handlebars.
"use strict";

const { readFileSync } = require("node:fs");

const { SQL } = require("bun");
const Handlebars = require("handlebars");

const { serve } = require("./harness-node");

const sql = new SQL(process.env.DATABASE_URL || "postgres://localhost/postgres");
const db = require("./node-pg")({ query: async (text, values) => ({ rows: await sql.unsafe(text, values) }), on() {} });
const page = Handlebars.compile(readFileSync(`${__dirname}/views/fortunes.hbs`, "utf8"));

const headers = { Server: "Bun" };
const text = (body) => new Response(body, { headers: { ...headers, "Content-Type": "text/plain; charset=utf-8" } });
const html = (body) => new Response(body, { headers: { ...headers, "Content-Type": "text/html; charset=utf-8" } });
const json = (body) => Response.json(body, { headers });
const parameter = (request, name) => new URL(request.url).searchParams.get(name);
const notFound = () => new Response("not found", { status: 404 });

const routes = {
  "/api/values/:id": (request) => (/^-?[0-9]+$/.test(request.params.id) ? text("value") : notFound()),
  "/hello": () => text("hello world"),
  "/plaintext": () => text("Hello, World!"),
  "/json": () => json({ message: "Hello, World!" }),
  "/db": async () => json(await db.world()),
  "/queries": async (request) => json(await db.worlds(parameter(request, "queries"))),
  "/updates": async (request) => json(await db.update(parameter(request, "queries"))),
  "/cached-queries": async (request) => json(await db.cached(parameter(request, "count"))),
  "/fortunes": async () => html(page({ fortunes: await db.fortunes() })),
};

serve((port, hostname) => Bun.serve({ port, hostname, routes, fetch: notFound }));
