// Answers the scenarios values and hello with Fastify.
"use strict";

const fastify = require("fastify");

const { delay, wait, serve } = require("./harness-node");

function build(options) {
  const app = fastify(options);

  app.get("/api/values/:id", async (request, reply) => {
    if (!/^-?[0-9]+$/.test(request.params.id)) {
      return reply.callNotFound();
    }
    if (delay) {
      await wait();
    }
    return "value";
  });

  app.get("/hello", async () => {
    if (delay) {
      await wait();
    }
    return "hello world";
  });

  return app;
}

serve((port, host) => build().listen({ port, host }), {
  tls: (port, host, pem) => build({ http2: true, https: { ...pem, allowHTTP1: true } }).listen({ port, host }),
  h2c: (port, host) => build({ http2: true }).listen({ port, host }),
});
