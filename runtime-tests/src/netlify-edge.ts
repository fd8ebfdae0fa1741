/** Netlify around its functions, for tests: the edge that takes background calls, and invocations as its runtime makes them. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough, type Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { NetlifyFunction } from "@escapement/netlify";
import { loadFunctionRuntime } from "./vendor-netlify.ts";

export interface Edge {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Takes background calls as Netlify does: 202 at once, and the function runs on its own. @param take told of each call */
export async function startEdge(take: (request: Request) => void): Promise<Edge> {
  const server = createServer((incoming, outgoing) => {
    const headers = Object.entries(incoming.headers)
      .filter(([name]) => name !== "connection")
      .map(([name, value]): [string, string] => [name, String(value)]);
    incoming.resume().once("end", () => {
      const method = incoming.method ?? "GET";
      take(new Request(`${edge.url}${incoming.url}`, { method, headers }));
      outgoing.writeHead(202).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const edge: Edge = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return edge;
}

/** Invokes a function, and gives its answer when the invocation has ended, with all that it gave to `waitUntil`. */
export type Invoke = (run: NetlifyFunction, request: Request) => Promise<Response>;

/** With a request and a context in Netlify's shape. */
export const invokeDirectly: Invoke = async (run, request) => {
  const waits: Promise<unknown>[] = [];
  const context = { deploy: { context: "production" }, site: { url: "https://orders.test" } };
  const answer = await run(request, { ...context, waitUntil: (work) => void waits.push(work) });
  await Promise.all(waits);
  return answer;
};

/**
 * With Netlify's own function runtime, which is in each function that is deployed: it makes request and context from a
 * Lambda event, streams the answer, and ends when `waitUntil` has nothing left.
 */
export async function loadInvoke(): Promise<Invoke> {
  // Lambda's part: https://docs.aws.amazon.com/lambda/latest/dg/config-rs-write-functions.html, read 2026-11.
  Object.assign(globalThis, {
    awslambda: {
      streamifyResponse: <T>(take: T): T => take,
      HttpResponseStream: {
        from: (stream: Writable, head: object): Writable => Object.assign(stream, { head }),
      },
    },
  });
  const { getLambdaHandler } = await loadFunctionRuntime();
  return async (run, request) => {
    const stream = new PassThrough() as PassThrough & { readonly head?: Head };
    const body = buffer(stream);
    const lambda = { awsRequestId: "of-a-test", getRemainingTimeInMillis: () => 900_000 };
    await getLambdaHandler({ default: run })(await toEvent(request), stream, lambda);
    const headers = Object.entries(stream.head?.multiValueHeaders ?? {}).flatMap(([name, values]) =>
      values.map((value): [string, string] => [name, value]),
    );
    return new Response(await body, { status: stream.head?.statusCode ?? 500, headers });
  };
}

interface Head {
  readonly statusCode: number;
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
}

/** What Netlify's edge sends to Lambda. @source `@netlify/functions-dev` 2.0.8, src/runtimes/nodejs/lambda.ts, read 2026-11 */
async function toEvent(request: Request): Promise<object> {
  const bytes = Buffer.from(await request.arrayBuffer());
  return {
    rawUrl: request.url,
    httpMethod: request.method,
    headers: { ...Object.fromEntries(request.headers), "x-nf-deploy-context": "production" },
    body: bytes.length === 0 ? null : bytes.toString("base64"),
    isBase64Encoded: true,
  };
}

/** A run of the schedule. @source `@netlify/functions-dev` 2.0.8 and docs.netlify.com, scheduled functions, read 2026-11 */
export const clockwork = (url: string): Request =>
  new Request(`${url}/.netlify/functions/workflows-cron`, {
    method: "POST",
    headers: { "user-agent": "Netlify Clockwork", "x-nf-event": "schedule" },
    body: JSON.stringify({ next_run: new Date(Date.now() + 60_000).toISOString() }),
  });
