/** The application on Hono: your routes, the workflows' API, and a loop that stays. */
import { once } from "node:events";
import { promisify } from "node:util";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { engine, platform } from "./engine.ts";

const { HOST = "127.0.0.1", PORT = "3000" } = process.env;
const app = new Hono();
app.all("/api/workflows/*", (context) => engine.fetch(context.req.raw));
app.get("/", (context) => context.text("The API of the workflows is at /api/workflows.\n"));

const server = serve({ fetch: app.fetch, hostname: HOST, port: Number(PORT) });
await once(server, "listening");
platform.start({ server: { close: promisify(server.close.bind(server)) } });
console.log(`listening http://${HOST}:${PORT}`);
