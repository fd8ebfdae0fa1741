/** The Lambda adapter under AWS's own runtime interface client, frozen between events as Lambda does it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { describeAdapterContract, type FixtureOptions } from "@escapement/adapter-contract";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  QUEUE_ARN,
  ROLE_ARN,
  TICK,
  toBalancerEvent,
  toQueueEvent,
  toResponse,
  toUrlEvent,
} from "./lambda/events.ts";
import { type FakeAws, startFakeAws } from "./lambda/fake-aws.ts";
import { toFixture } from "./lambda/fixture.ts";
import { bundleFunction, openSandbox, type Sandbox } from "./lambda/sandbox.ts";
import { missingLambdaClient } from "./vendor-aws.ts";

const skip = missingLambdaClient();

let bundled: Awaited<ReturnType<typeof bundleFunction>> | null = null;
beforeAll(async () => {
  if (skip === null) bundled = await bundleFunction();
});
afterAll(() => bundled?.remove());

interface Lambda extends Sandbox {
  readonly aws: FakeAws;
}

async function openLambda(options: object): Promise<Lambda> {
  const aws = await startFakeAws();
  const directory = temporaryDirectory();
  const clean = async (): Promise<void> => {
    directory.remove();
    await aws.stop();
  };
  const sandbox = await openSandbox({
    file: bundled?.file ?? "",
    env: {
      CONTRACT_OPTIONS: JSON.stringify(options),
      DATABASE_FILE: join(directory.path, "data.db"),
      // The SDK sends to the host in a queue's URL, whatever endpoint the environment names.
      ESCAPEMENT_QUEUE_URL: `${aws.url}/123456789012/wakes`,
      ESCAPEMENT_QUEUE_ARN: QUEUE_ARN,
      ESCAPEMENT_SCHEDULE_GROUP: "wakes",
      ESCAPEMENT_SCHEDULE_ROLE_ARN: ROLE_ARN,
      ESCAPEMENT_NAMESPACE: "orders",
      AWS_ENDPOINT_URL_SCHEDULER: aws.url,
    },
  }).catch(async (error: unknown) => {
    await clean();
    throw error;
  });
  return {
    ...sandbox,
    aws,
    stop: async () => {
      await sandbox.stop();
      await clean();
    },
  };
}

const MAX_LIFE_MS = 900_000;
/** Killed later than told: an invocation of a second may be in time and yet be late on a busy machine. */
const PATIENCE_MS = 3000;
/** No invocation of these tests has work for longer: one that hangs fails its own test and no other. */
const LONGEST_MS = 20_000;

describeAdapterContract({
  name: "AWS Lambda under its runtime interface client",
  skip,
  capabilities: {
    invocations: true,
    sideBySide: "one sandbox, and a sandbox has one invocation at a time",
    deadlines: true,
    exactWakes: { maxWakeMs: Infinity, earlyMs: 180_000 },
    faults: true,
    clockSkew: true,
    unknownEvents: true,
  },
  open: async (options: FixtureOptions) => {
    const lambda = await openLambda(options);
    lambda.aws.isDown = options.losesWakes;
    return {
      ...toFixture(lambda.aws, (event, { remainingMs: toldMs = MAX_LIFE_MS } = {}) =>
        lambda.invoke(event, { toldMs, remainingMs: Math.min(toldMs, LONGEST_MS) + PATIENCE_MS }),
      ),
      teardown: async () => {
        const starts = lambda.starts();
        await lambda.stop();
        if (starts > 1) throw new TypeError(`${starts - 1} invocations were killed`);
      },
    };
  },
});

describe.skipIf(skip !== null)("the function under the runtime interface client", () => {
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup();
  });
  const open = async (options: object = {}): Promise<Lambda> => {
    const lambda = await openLambda({ hasTickSecrets: false, losesWakes: false, ...options });
    cleanups.push(() => lambda.stop());
    return lambda;
  };
  const headers = { "content-type": "application/json" };
  const toCreate = (id: string) => ({
    method: "POST",
    path: "/api/workflows/workflows/contract-steps/instances",
    headers,
    body: new TextEncoder().encode(JSON.stringify({ id })),
  });
  const toLook = (id: string) => ({
    method: "GET",
    path: `/api/workflows/workflows/contract-steps/instances/${id}`,
    headers,
    body: null,
  });
  const COMPLETE = { details: { status: "complete" } };

  test("a load balancer's request creates, an asynchronous invocation runs", async () => {
    const { invoke } = await open();
    const created = toResponse(await invoke(toBalancerEvent(toCreate("balanced"))));
    expect(created.status).toBe(200);
    await invoke({ kind: "tick", hopCount: 1 });
    const look = toResponse(await invoke(toBalancerEvent(toLook("balanced"))));
    expect(await look.json()).toMatchObject(COMPLETE);
  });

  test("a schedule without an input of its own ticks", async () => {
    const { invoke } = await open();
    await invoke(toUrlEvent(toCreate("scheduled")));
    await invoke({ version: "0", "detail-type": "Scheduled Event", source: "aws.scheduler" });
    expect(await toResponse(await invoke(toUrlEvent(toLook("scheduled")))).json()).toMatchObject(
      COMPLETE,
    );
  });

  test("of a batch the message that is no wake goes back alone, and the others tick", async () => {
    const { invoke } = await open();
    await invoke(toUrlEvent(toCreate("batched")));
    const itemIdentifier = "059f36b4-87a3-44ab-83d2-661975470001";
    expect(await invoke(toQueueEvent(TICK, "?"))).toEqual({
      batchItemFailures: [{ itemIdentifier }],
    });
    expect(await toResponse(await invoke(toUrlEvent(toLook("batched")))).json()).toMatchObject(
      COMPLETE,
    );
  });

  test("an event of an unknown kind fails its invocation by name, and the same process takes the next", async () => {
    const { invoke, pid, starts } = await open();
    const first = pid();
    await expect(invoke({ strange: true })).rejects.toThrow(
      "WorkflowError: an event of no known kind",
    );
    expect(await invoke(toQueueEvent(TICK))).toEqual({ batchItemFailures: [] });
    expect([pid(), starts()]).toEqual([first, 1]);
  });

  test("when an invocation has ended the process is frozen with nothing in hand, and goes on when it is thawed", async () => {
    const { aws, invoke, pid } = await open();
    await invoke(toUrlEvent(toCreate("frozen")));
    // Signals take their time.
    const readState = (): string => readFileSync(`/proc/${pid()}/stat`, "utf8");
    await expect.poll(readState).toMatch(/^\d+ \([^)]*\) T /);
    // Asked for before the answer was given: a frozen process sends nothing.
    expect(aws.sent).toMatchObject([{ service: "sqs", fields: { DelaySeconds: 0 } }]);
    await invoke(toQueueEvent(String(aws.sent[0]?.fields["MessageBody"])));
    expect(await toResponse(await invoke(toUrlEvent(toLook("frozen")))).json()).toMatchObject(
      COMPLETE,
    );
  });

  test("S2-007 a sandbox that is killed takes its attempt with it; the next one counts it and goes on", async () => {
    const { invoke, starts } = await open({ leaseMs: 1000 });
    const path = "/api/workflows/workflows/contract-endless/instances";
    await invoke(toUrlEvent({ ...toCreate("killed"), path }));
    // It lives shorter than it was told, as when it runs out of memory.
    const life = { remainingMs: 1500, toldMs: 60_000 };
    await expect(invoke(toQueueEvent(TICK), life)).rejects.toThrow("timed out");
    expect(starts()).toBe(2);
    const look = toUrlEvent({ ...toLook("killed"), path: `${path}/killed` });
    const tickAndLook = async (): Promise<unknown> => {
      await invoke(toQueueEvent(TICK), { toldMs: 1000, remainingMs: 1000 + PATIENCE_MS });
      return toResponse(await invoke(look)).json();
    };
    const error = { name: "StepMaxAttemptsExceeded" };
    await expect
      .poll(tickAndLook, { interval: 100, timeout: 60_000 })
      .toMatchObject({ details: { status: "errored", error } });
    expect(starts()).toBe(2);
  });

  test("a secret that cannot work ends the start by code", async () => {
    const options = {
      hasTickSecrets: true,
      losesWakes: false,
      tick: { bearerSecret: "short", signingKeys: [] },
    };
    await expect(openLambda(options)).rejects.toThrow("DEPLOY_OPTIONS_INVALID");
  });
});
