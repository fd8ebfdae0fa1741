/** Many invocations in one process, as on Lambda Managed Instances. */
import { createEngine, defineWorkflow } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { expect, test } from "vitest";
import { createLambdaPlatform, handler } from "./index.ts";

const remaining = (remainingMs: number) => ({ getRemainingTimeInMillis: () => remainingMs });
const QUIET = { log: () => undefined };

/** A promise and the functions that settle it. */
function createGate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

test("two invocations at once keep their own deadlines, and each waits for its own work only", async () => {
  const platform = createLambdaPlatform({ queue: async () => undefined, now: () => 1_000_000 });
  const [short, long, work] = [createGate(), createGate(), createGate()];
  const seen: Record<string, number | null> = {};
  const look = (name: string): void => void (seen[name] = platform.deadline());
  let isLongOver = false;
  const first = platform.within(remaining(900_000), async () => {
    await short.opened;
    platform.defer(work.opened);
    look("long");
    long.open();
  });
  void first.then(() => (isLongOver = true));
  await platform.within(remaining(10_000), async () => {
    short.open();
    await long.opened;
    look("short");
  });
  expect(seen).toEqual({ long: 1_900_000, short: 1_010_000 });
  expect(isLongOver).toBe(false);
  work.open();
  await first;
  expect(platform.deadline()).toBeNull();
});

test("work that outlived its invocation is waited for by the next one", async () => {
  const platform = createLambdaPlatform({ queue: async () => undefined });
  const [late, work] = [createGate(), createGate()];
  let deferring: Promise<void> = Promise.resolve();
  await platform.within(remaining(1000), async () => {
    deferring = late.opened.then(() => platform.defer(work.opened));
  });
  late.open();
  await deferring;
  let isOver = false;
  const next = platform.within(remaining(1000), async () => undefined).then(() => (isOver = true));
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(isOver).toBe(false);
  work.open();
  await next;
});

test("a request is answered once its wake is sent, however many requests are in hand", async () => {
  const sends: (() => void)[] = [];
  const platform = createLambdaPlatform({
    queue: () => new Promise((resolve) => sends.push(() => resolve())),
  });
  const engine = createEngine({
    workflows: { W: defineWorkflow({ name: "w" }, () => "done") },
    store: createMemoryStore(),
    platform,
    http: { open: true },
    logger: QUIET,
  });
  const run = handler(engine, { platform, logger: QUIET });
  const answered: string[] = [];
  const ask = async (id: string): Promise<void> => {
    const answer = await run(toCreate(id), remaining(30_000));
    expect(answer).toMatchObject({ statusCode: 200, body: expect.stringContaining(`"${id}"`) });
    answered.push(id);
  };
  const first = ask("a");
  await expect.poll(() => sends.length).toBe(1);
  const second = ask("b");
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(answered).toEqual([]);
  sends[0]?.();
  await first;
  await expect.poll(() => sends.length).toBe(2);
  expect(answered).toEqual(["a"]);
  sends[1]?.();
  await second;
});

function toCreate(id: string): object {
  const http = { method: "POST", path: "/api/workflows/workflows/w/instances" };
  return {
    version: "2.0",
    rawPath: http.path,
    rawQueryString: "",
    headers: { "content-type": "application/json" },
    requestContext: { domainName: "a.test", http },
    body: JSON.stringify({ id }),
  };
}
