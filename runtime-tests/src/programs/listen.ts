/** Serves a fetch handler by `node:http`, which Node, Bun and Deno all have, and prints the address. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Listens on a free port of 127.0.0.1 and prints `listening <url>`. */
export function listen(handle: (request: Request) => Promise<Response>): void {
  const server = createServer((incoming, outgoing) => {
    answer(handle, incoming, outgoing).catch((error: unknown) => {
      outgoing.writeHead(500).end(String(error));
    });
  });
  server.listen(0, "127.0.0.1", () => {
    console.log(`listening http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  });
}

async function answer(
  handle: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const request = new Request(`http://127.0.0.1${incoming.url ?? "/"}`, {
    method: "POST",
    body: Buffer.concat(chunks),
  });
  const response = await handle(request);
  outgoing.writeHead(response.status).end(await response.text());
}
