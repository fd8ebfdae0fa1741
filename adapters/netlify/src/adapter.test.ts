/** Calls of the background function: by requests, and by the schedule. */
import { type Logger, WorkflowError } from "@escapement/engine";
import type { NextWake } from "@escapement/engine/types";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { handler, scheduleHandler } from "./index.ts";
import { invoke, openPlatform, PATH, PREVIEW, SITE } from "./testing-site.ts";

const CREATED = { workflowName: "order", instanceId: "o", reason: "create" } as const;

describe("with a background function to call", () => {
  /** The called addresses, and which of the calls came from the schedule. */
  let calls: string[] = [];
  let holders: boolean[] = [];
  beforeEach(() => {
    [calls, holders] = [[], []];
    vi.stubGlobal("fetch", async (url: URL, init: RequestInit) => {
      calls.push(url.href);
      holders.push(new Headers(init.headers).has("x-escapement-holder"));
      return new Response(null, { status: 202 });
    });
  });
  afterEach(() => void vi.unstubAllGlobals());

  const clockwork = (): Request => new Request(`${SITE}/.netlify/functions/workflows-cron`);

  test("a request's answer is given before the call that it caused has ended, which waitUntil holds", async () => {
    const platform = openPlatform();
    const fetch = async (): Promise<Response> => {
      platform.defer(platform.wakeNow(CREATED));
      return new Response("created");
    };
    const waits: Promise<unknown>[] = [];
    const waitUntil = (work: Promise<unknown>): void => void waits.push(work);
    await handler({ fetch }, { platform })(new Request(SITE), { waitUntil });
    expect(calls).toEqual([]);
    await Promise.all(waits);
    expect([calls, holders]).toEqual([[`${SITE}${PATH}`], [false]]);
  });

  test("what comes due while a tick is under way is its own; what it leaves needs another invocation", async () => {
    const platform = openPlatform();
    await platform.whileTicking(() => platform.wakeNow(CREATED));
    expect(calls).toEqual([]);
    await platform.whileTicking(() => platform.wakeNow({ ...CREATED, reason: "more" }));
    expect(calls).toHaveLength(1);
  });

  test("the site's address is that of the context, where none is given", async () => {
    const platform = openPlatform({ siteUrl: undefined });
    await expect(platform.wakeNow(CREATED)).rejects.toMatchObject({ code: "WAKE_FAILED" });
    platform.begin({ site: { url: "https://main.test" }, waitUntil: () => undefined }, 1000);
    await platform.wakeNow(CREATED);
    expect(calls).toEqual([`https://main.test${PATH}`]);
  });

  test.each([
    { deployContexts: undefined, context: "deploy-preview", calls: 0 },
    { deployContexts: undefined, context: "production", calls: 1 },
    { deployContexts: undefined, context: "", calls: 1 },
    { deployContexts: ["production", "staging"], context: "staging", calls: 1 },
  ])("deploys of context $context, allowed $deployContexts: $calls", async (row) => {
    const { deployContexts, context } = row;
    const platform = openPlatform(deployContexts === undefined ? {} : { deployContexts });
    platform.begin({ deploy: { context }, waitUntil: () => undefined }, 1000);
    await platform.wakeNow(CREATED);
    expect(calls).toHaveLength(row.calls);
  });

  test.each([
    { dueInMs: null, looksAhead: true, calls: 0 },
    { dueInMs: 60_001, looksAhead: true, calls: 0 },
    { dueInMs: 60_000, looksAhead: true, calls: 1 },
    { dueInMs: 1, looksAhead: false, calls: 0 },
    { dueInMs: 0, looksAhead: false, calls: 1 },
  ])("the schedule asks and takes nothing: due in $dueInMs ms, calls $calls", async (row) => {
    const { dueInMs, looksAhead } = row;
    const next = dueInMs === null ? null : { inMs: dueInMs, reason: "due" as const };
    const nextWake = vi.fn<() => Promise<NextWake | null>>(async () => next);
    const run = scheduleHandler({ nextWake }, { platform: openPlatform({ looksAhead }) });
    const answer = await invoke(run, clockwork());
    expect([answer.status, await answer.json()]).toEqual([200, { isDue: row.calls === 1 }]);
    expect(nextWake).toHaveBeenCalledOnce();
    expect(holders).toEqual(Array.from({ length: row.calls }, () => true));
  });

  test("S9-012 the schedule of a preview does not ask the database", async () => {
    const nextWake = vi.fn<() => Promise<NextWake | null>>(async () => null);
    const log = vi.fn<Logger["log"]>();
    const run = scheduleHandler({ nextWake }, { platform: openPlatform(), logger: { log } });
    expect(await (await invoke(run, clockwork(), PREVIEW)).json()).toEqual({
      code: "TICK_DISABLED",
    });
    expect([nextWake.mock.calls, calls]).toEqual([[], []]);
  });

  test("a schedule that cannot ask logs the code, answers, and crashes nothing", async () => {
    const log = vi.fn<Logger["log"]>();
    const nextWake = () => Promise.reject(new WorkflowError("SCHEMA_MISMATCH", "migrate"));
    const run = scheduleHandler({ nextWake }, { platform: openPlatform(), logger: { log } });
    expect((await invoke(run, clockwork())).status).toBe(503);
    const fields = expect.objectContaining({ code: "SCHEMA_MISMATCH" }) as object;
    expect(log).toHaveBeenCalledWith("error", "schedule.failed", fields);
  });
});

test.each([
  ["backgroundName", { backgroundName: "worker" }],
  ["backgroundName", { backgroundName: "../x-background" }],
])("a bad %s is refused by name before anything runs", (option, options) => {
  const refusal = { code: "DEPLOY_OPTIONS_INVALID", details: { option } };
  expect(() => openPlatform(options)).toThrow(expect.objectContaining(refusal));
});

test.each([
  ["signingKeys", { signingKeys: [] }],
  ["signingKeys.0", { signingKeys: ["short"] }],
  ["signingKeys.0", { signingKeys: ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"] }],
  ["url", { siteUrl: "http://orders.netlify.app" }],
])("a weak or wrong %s is refused by name before anything runs", (path, options) => {
  const details = expect.objectContaining({ path }) as object;
  const refusal = { code: "DEPLOY_OPTIONS_INVALID", details };
  expect(() => openPlatform(options)).toThrow(expect.objectContaining(refusal));
});
