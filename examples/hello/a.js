// The smallest service in Node: every request is answered {"hello":"world"}.
require("node:http")
  .createServer((request, response) => {
    response.setHeader("Content-Type", "application/json");
    response.end('{"hello":"world"}');
  })
  .listen(process.env.PORT, "127.0.0.1");
