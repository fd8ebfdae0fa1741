/**
 * The page of Lambda: two functions of the bundle under AWS's own client, with the variables that the template gives them,
 * on a queue that delivers what they send. The kill is Lambda's own: an invocation that is longer than it may be.
 */
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sqldAvailable, startSqld, temporaryDirectory } from "@escapement-internal/test-servers";
import { expect } from "vitest";
import { QUEUE_ARN, ROLE_ARN, toReceivedEvent, toResponse, toUrlEvent } from "../lambda/events.ts";
import { type FakeAws, type Sent, startFakeAws } from "../lambda/fake-aws.ts";
import { openSandbox, type Sandbox } from "../lambda/sandbox.ts";
import { missingLambdaClient } from "../vendor-aws.ts";
import { checkTypes, prepareDeployment } from "./page-lines.ts";
import type { PagePlatform, Stage } from "./platform.ts";

const LOOK_MS = 50;
/** Long enough for every tick but the one that the shop keeps waiting. */
const FIRST_LIFE_MS = 6000;

export const AWS_LAMBDA: PagePlatform = {
  name: "aws-lambda",
  missing: missingLambdaClient() ?? (sqldAvailable() ? null : "sqld is not installed"),
  async open({ project, token, shopUrl, defer }) {
    const database = await startSqld();
    defer(() => database.stop());
    const databaseEnv = { DATABASE_URL: database.url, DATABASE_TOKEN: "none" };
    await prepareDeployment(project, databaseEnv);
    await checkTypes(project);
    const aws = await startFakeAws();
    defer(() => aws.stop());
    const env = readEnvironment(project.folder, {
      ESCAPEMENT_QUEUE_URL: `${aws.url}/123456789012/wakes`,
      ESCAPEMENT_QUEUE_ARN: QUEUE_ARN,
      ESCAPEMENT_SCHEDULE_GROUP: "wakes",
      ESCAPEMENT_SCHEDULE_ROLE_ARN: ROLE_ARN,
      ESCAPEMENT_NAMESPACE: "orders",
      API_TOKEN: token,
      SHOP_URL: shopUrl,
      ...databaseEnv,
    });
    const options = { file: unpack(project.folder, defer), env };
    const tick = await openSandbox({
      ...options,
      env: { ...env, AWS_ENDPOINT_URL_SCHEDULER: aws.url },
    });
    defer(() => tick.stop());
    const queue = deliver(aws, tick);
    defer(() => queue.stop());
    return async () => {
      const api = await openSandbox(options);
      defer(() => api.stop());
      return {
        api: "https://abc.lambda-url.eu-central-1.on.aws/api/workflows",
        call: (request) => invokeByUrl(api, request),
        kill: async () => {
          await expect.poll(queue.failures, { timeout: 2 * FIRST_LIFE_MS }).toBe(1);
          await api.stop();
        },
      };
    };
  },
};

/** What of the given the template sets, for both functions alike. @throws where it sets what is not given */
function readEnvironment(
  folder: string,
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const text = readFileSync(join(folder, "orders.template.json"), "utf8");
  type Function = { readonly Properties: { readonly Environment: { readonly Variables: object } } };
  const { Resources } = JSON.parse(text) as { readonly Resources: Record<string, Function> };
  const names = ["ApiFunction", "TickFunction"].flatMap((name) =>
    Object.keys(Resources[name]?.Properties.Environment.Variables ?? {}),
  );
  return Object.fromEntries(
    names.map((name) => {
      const value = given[name];
      if (value === undefined) throw new TypeError(`the template sets ${name}`);
      return [name, value];
    }),
  );
}

/** What is in `code.zip`, beside nothing else. @returns the function's module */
function unpack(folder: string, defer: Stage["defer"]): string {
  const task = temporaryDirectory();
  defer(() => task.remove());
  cpSync(join(folder, "dist"), task.path, { recursive: true });
  return join(task.path, "index.js");
}

async function invokeByUrl(api: Sandbox, request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const bytes = new Uint8Array(await request.arrayBuffer());
  const event = toUrlEvent({
    method: request.method,
    path: `${pathname}${search}`,
    headers: Object.fromEntries(request.headers),
    body: bytes.length === 0 ? null : bytes,
  });
  return toResponse(await api.invoke(event));
}

/** Delivers messages when their delay is over, and once more those whose invocation was killed. */
function deliver(aws: FakeAws, tick: Sandbox) {
  let stopped = false;
  const timers = new Set<ReturnType<typeof setTimeout>>();
  let failures = 0;
  const after = (delayMs: number, run: () => unknown): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      run();
    }, delayMs);
    timers.add(timer);
  };
  const send = async (body: string, receiveCount: number): Promise<void> => {
    const life = receiveCount > 1 ? {} : { remainingMs: FIRST_LIFE_MS, toldMs: 300_000 };
    await tick.invoke(toReceivedEvent(receiveCount, body), life).catch(() => {
      failures += 1;
      // Its visibility is over.
      if (!stopped) after(0, () => void send(body, receiveCount + 1));
    });
  };
  const take = ({ service, fields }: Sent): void => {
    if (service !== "sqs") return;
    const body = String(fields["MessageBody"]);
    after(Number(fields["DelaySeconds"] ?? 0) * 1000, () => void send(body, 1));
  };
  const looks = setInterval(() => aws.sent.splice(0).forEach(take), LOOK_MS);
  return {
    failures: () => failures,
    stop: () => {
      stopped = true;
      clearInterval(looks);
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
