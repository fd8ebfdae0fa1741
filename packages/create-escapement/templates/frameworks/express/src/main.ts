/** The application on Express: your routes, the workflows' API, and a loop that stays. */
import { once } from "node:events";
import { promisify } from "node:util";
import { handler } from "@escapement/node";
import express from "express";
import { engine, platform } from "./engine.ts";

const { HOST = "127.0.0.1", PORT = "3000" } = process.env;
const app = express();
app.use(express.json());
app.use("/api/workflows", handler(engine));
app.get("/", (_request, response) => {
  response.send("The API of the workflows is at /api/workflows.\n");
});

const server = app.listen(Number(PORT), HOST);
await once(server, "listening");
platform.start({ server: { close: promisify(server.close.bind(server)) } });
console.log(`listening http://${HOST}:${PORT}`);
