/**
 * Lambda's Runtime API, as far as a runtime client needs it: hands out events one by one and takes what they came to.
 *
 * @source https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html, read 2026-11
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface LambdaRuntimeApi {
  /** For `AWS_LAMBDA_RUNTIME_API`. */
  readonly address: string;
  /** @throws what the function threw, or why it could not start */
  invoke(event: unknown): Promise<unknown>;
  close(): void;
}

interface Invocation {
  readonly id: string;
  readonly event: unknown;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

const RUN_LIMIT_MS = 30_000;

export async function startLambdaRuntimeApi(): Promise<LambdaRuntimeApi> {
  const waiting: Invocation[] = [];
  const invocations = new Map<string, Invocation>();
  let client: ServerResponse | null = null;
  const handOut = (): void => {
    const invocation = client === null ? undefined : waiting.shift();
    if (client === null || invocation === undefined) return;
    client.setHeader("lambda-runtime-aws-request-id", invocation.id);
    client.setHeader("lambda-runtime-deadline-ms", String(Date.now() + RUN_LIMIT_MS));
    client.setHeader("lambda-runtime-invoked-function-arn", ARN);
    client.setHeader("content-type", "application/json");
    client.end(JSON.stringify(invocation.event));
    client = null;
  };
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? "";
    if (path.endsWith("/invocation/next")) {
      client = response;
      handOut();
      return;
    }
    let text = "";
    for await (const chunk of request) text += String(chunk);
    response.writeHead(202).end("{}");
    const [, id = "", end = ""] = /\/invocation\/([^/]+)\/(response|error)$/.exec(path) ?? [];
    const failed = new Error(`the function failed: ${text}`);
    if (end === "response") invocations.get(id)?.resolve(text === "" ? null : JSON.parse(text));
    // Without an id it failed while it started.
    else
      for (const one of id === "" ? invocations.values() : [invocations.get(id)])
        one?.reject(failed);
  };
  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    invoke: (event) =>
      new Promise((resolve, reject) => {
        const invocation = { id: crypto.randomUUID(), event, resolve, reject };
        invocations.set(invocation.id, invocation);
        waiting.push(invocation);
        handOut();
      }),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const ARN = "arn:aws:lambda:eu-central-1:000000000000:function:relay";
