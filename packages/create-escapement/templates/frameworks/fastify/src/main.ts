/** The application on Fastify: your routes, the workflows' API, and a loop that stays. */
import { handler } from "@escapement/node";
import fastify from "fastify";
import { engine, platform } from "./engine.ts";

const { HOST = "127.0.0.1", PORT = "3000" } = process.env;
const app = fastify();
const workflows = handler(engine);
app.all("/api/workflows/*", (request, reply) => {
  reply.hijack();
  // Fastify keeps the body that it has parsed in its own request.
  workflows(Object.assign(request.raw, { body: request.body }), reply.raw);
});
app.get("/", () => "The API of the workflows is at /api/workflows.\n");

const url = await app.listen({ port: Number(PORT), host: HOST });
platform.start({ server: { close: () => app.close() } });
console.log(`listening ${url}`);
