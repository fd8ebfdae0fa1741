/** Netlify's edge for tests: requests and contexts as its functions get them, and a list of background calls. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { NetlifyContext, NetlifyFunction } from "@escapement/netlify";

export interface Edge {
  readonly url: string;
  /** Calls of the background function that were answered with 202, as the platform would deliver them. */
  readonly calls: Request[];
  readonly stop: () => Promise<void>;
}

/** Takes background calls as Netlify does: 202 at once, and the function runs on its own. @param take told of each call */
export async function startEdge(take: (request: Request) => void = () => undefined): Promise<Edge> {
  const calls: Request[] = [];
  const server = createServer((incoming, outgoing) => {
    const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
    incoming.resume().once("end", () => {
      const request = new Request(`${edge.url}${incoming.url}`, {
        method: incoming.method ?? "GET",
        headers: headers.filter(([name]) => name !== "connection") as [string, string][],
      });
      calls.push(request);
      outgoing.writeHead(202).end();
      take(request);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const edge: Edge = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return edge;
}

/** Invokes a function and waits until the invocation has ended: its answer, and all that it gave to `waitUntil`. */
export async function invoke(
  run: NetlifyFunction,
  request: Request,
  context: Omit<NetlifyContext, "waitUntil"> = { deploy: { context: "production" } },
): Promise<Response> {
  const waits: Promise<unknown>[] = [];
  const answer = await run(request, {
    ...context,
    waitUntil: (work) => void waits.push(work),
  });
  await Promise.all(waits);
  return answer;
}

/** A run of the schedule. @source `@netlify/functions-dev` 2.0.8 and docs.netlify.com, scheduled functions, read 2026-11 */
export const clockwork = (url: string): Request =>
  new Request(`${url}/.netlify/functions/workflows-cron`, {
    method: "POST",
    headers: { "user-agent": "Netlify Clockwork", "x-nf-event": "schedule" },
    body: JSON.stringify({ next_run: new Date(Date.now() + 60_000).toISOString() }),
  });
