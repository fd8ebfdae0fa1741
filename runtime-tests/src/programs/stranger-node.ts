/** Runs in Node: the strangers' engine behind the Node adapter's server. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { handler } from "@escapement/node";
import { openStrangerEngine } from "./stranger-scene.ts";

const server = createServer(handler(openStrangerEngine()));
server.listen(0, "127.0.0.1", () =>
  console.log(`listening http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
