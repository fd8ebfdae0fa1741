/** Every verb, as a process against the HTTP API that the Node adapter serves, on a SQLite file. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { InstanceView } from "@escapement/engine";
import { beforeEach, expect, test, vi } from "vitest";
import { runCommand } from "./testing-command.ts";
import {
  directory,
  engine,
  environment,
  escapement,
  HOSTILE,
  outages,
  serveTestingApp,
} from "./testing-server.ts";

serveTestingApp();
beforeEach(() => outages.clear());

/** Characters that affect a terminal, except line breaks. */
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;

vi.setConfig({ testTimeout: 150_000 });

/** The output of a command that succeeds. */
async function printed(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await escapement(...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

const reaches = (id: string, status: string, workflow = "order"): Promise<InstanceView> =>
  vi.waitFor(
    async () => {
      const instance = await engine.getInstance(workflow, id);
      expect(instance.details.status).toBe(status);
      return instance;
    },
    { timeout: 60_000, interval: 20 },
  );

test("S4-041 start starts a workflow with its params, as a text, a file's and standard input's, and says how it stands", async () => {
  expect(
    await printed("start", "order", '{"sku":"tea"}', "--id", "o-1", "--tag", "web,gift"),
  ).toMatch(/^order o-1: (queued|running), run 1\n$/);
  const file = join(directory.path, "order.json");
  writeFileSync(file, '{"sku":"cup"}');
  await printed("start", "order", `@${file}`, "--id", "o-2");
  const piped = await runCommand(["start", "order", "-", "--id", "o-3"], environment, '["pot"]');
  expect(piped.code).toBe(0);
  for (const [id, params] of [
    ["o-1", { sku: "tea" }],
    ["o-2", { sku: "cup" }],
    ["o-3", ["pot"]],
  ] as const) {
    await reaches(id, "waiting");
    await engine.sendEvent("order", id, { type: "approval", payload: 1 });
    const { details } = await reaches(id, "complete");
    expect(details.output).toEqual({ params, approval: 1 });
  }
  expect((await engine.getInstance("order", "o-1")).details.tags).toEqual(["web", "gift"]);
});

test("S4-041 a start that is sent again with its key starts nothing more", async () => {
  const start = ["start", "order", "1", "--key", "import-17", "--json"];
  const [first, second] = [await printed(...start), await printed(...start)].map(
    (text) => JSON.parse(text) as InstanceView,
  );
  expect(second?.id).toBe(first?.id);
});

test("S4-042 ls lists instances of all workflows a page at a time, by status, workflow, tag, id, error and time", async () => {
  outages.add("card reader");
  await Promise.all(
    ["ls-a", "ls-b", "ls-c"].map((id) => engine.createInstance("order", { id, tags: ["ls"] })),
  );
  await engine.createInstance("watch", { id: "ls-w", tags: ["ls"] });
  for (const id of ["ls-a", "ls-b", "ls-c"]) await reaches(id, "errored");
  await reaches("ls-w", "waiting", "watch");

  const idsOf = async (...args: readonly string[]): Promise<readonly string[]> => {
    const lines = (await printed("ls", ...args)).trimEnd().split("\n");
    return lines
      .slice(1)
      .map((line) => line.split(/ +/)[1] ?? "")
      .toSorted();
  };
  expect(await idsOf("--tag", "ls")).toEqual(["ls-a", "ls-b", "ls-c", "ls-w"]);
  expect(await idsOf("--tag", "ls", "--workflow", "watch")).toEqual(["ls-w"]);
  expect(await idsOf("--tag", "ls", "--status", "waiting,paused")).toEqual(["ls-w"]);
  expect(await idsOf("--id-prefix", "ls-", "--error-code", "STEP_FAILED")).toEqual([
    "ls-a",
    "ls-b",
    "ls-c",
  ]);
  const { instances } = await engine.findInstances({ idPrefix: "ls-b" });
  const since = new Date(instances[0]?.createdAt ?? 0).toISOString();
  expect(await idsOf("--tag", "ls", "--created-from", since)).toContain("ls-b");
  for (const times of [
    ["--created-before", String(Date.parse("2020-01-01"))],
    ["--updated-from", "2100-01-01"],
    ["--updated-before", since],
  ])
    expect(await printed("ls", "--tag", "ls", ...times)).toBe("No instance found.\n");
  expect(await printed("ls", "--tag", "none")).toBe("No instance found.\n");

  const filters = ["--tag", "ls", "--limit", "3"];
  const first = await printed("ls", ...filters);
  const [, cursor = ""] = /^There is more\. Continue with: --cursor (\S+)$/m.exec(first) ?? [];
  const second = await printed("ls", ...filters, "--cursor", cursor);
  const seen = [...`${first}${second}`.matchAll(/\bls-[abcw]\b/g)].map(([id]) => id);
  expect(seen.toSorted()).toEqual(["ls-a", "ls-b", "ls-c", "ls-w"]);
  expect(JSON.parse(await printed("ls", ...filters, "--json"))).toMatchObject({
    hasNextPage: true,
    instances: [{ workflowName: expect.any(String) as string }, {}, {}],
  });
});

test("S4-043 show tells state, steps with their places and attempts, errors, what it waits for, and events", async () => {
  outages.add("card reader");
  await engine.createInstance("order", { id: "s-1", params: { sku: "tea" }, memo: "by phone" });
  await reaches("s-1", "errored");
  const failed = await printed("show", "order", "s-1");
  expect(failed).toMatch(/^order s-1: errored, run 1\n/);
  expect(failed).not.toMatch(UNSAFE);
  expect(failed).toMatch(/^ {2}error: +STEP_FAILED/m);
  expect(failed).toMatch(/^ {2}cause: +CardReaderError: the card reader is down/m);
  expect(failed).toMatch(/^charge +do +errored +3 of 3 /m);
  expect(failed).toMatch(/^ {2}memo: +"by phone"$/m);
  expect(failed).toMatch(/^ {2}params: +\{"sku":"tea"\}$/m);
  expect(failed).toMatch(/^ {2}created: +20\S+Z\n {2}started: +20\S+Z\n {2}ended: +20\S+Z$/m);
  expect(failed).toMatch(
    /^charge +3 +20\S+Z +\d+ ms +\S+ +CardReaderError: the card reader is down/m,
  );

  outages.clear();
  await engine.control("order", "s-1", "retry");
  await reaches("s-1", "waiting");
  await engine.sendEvent("order", "s-1", { type: "note", payload: { by: "noor" } });
  const waiting = await printed("show", "order", "s-1");
  expect(waiting).toMatch(/^book\/hotel\/reserve +do +completed +1 of 3 .*"h-1"$/m);
  expect(waiting).toMatch(
    /^Waiting\nSTEP +WAITS FOR +UNTIL\napproval +event approval +20..-..-..T..:..:..Z$/m,
  );
  expect(waiting).toMatch(/^note +\S+ +20\S+Z +\{"by":"noor"\}$/m);
  const json = JSON.parse(await printed("show", "order", "s-1", "--json")) as object;
  expect(json).toMatchObject({
    id: "s-1",
    runNumber: 1,
    steps: { length: 5 },
    events: [{ type: "note" }],
  });

  await engine.createInstance("watch", { id: "s-2" });
  await reaches("s-2", "waiting", "watch");
  expect(await printed("show", "watch", "s-2")).toMatch(/^stock +a message to stock +20\S+Z$/m);
});

test("S4-044 cancel asks an instance to end, and terminate ends it", async () => {
  for (const [verb, id] of [
    ["cancel", "c-1"],
    ["terminate", "c-2"],
  ] as const) {
    await engine.createInstance("order", { id });
    await reaches(id, "waiting");
    expect(await printed(verb, "order", id)).toMatch(new RegExp(`^order ${id}: `));
    await reaches(id, "terminated");
    const again = await escapement(verb, "order", id);
    expect(again).toMatchObject({ code: 1, stdout: "" });
    expect(again.stderr).toMatch(/^escapement: INSTANCE_TERMINAL: /);
  }
});

test("S4-045 rewind brings a run back to a step, by the place that show gives it", async () => {
  await engine.createInstance("order", { id: "r-1" });
  await reaches("r-1", "waiting");
  const before = await engine.listHistory("order", "r-1", {});
  await printed("rewind", "order", "r-1", "book/hotel/reserve");
  await reaches("r-1", "waiting");
  const settled = async (key: string, history = before) =>
    history.steps.find(({ stepKey }) => stepKey === key)?.createdAt ?? 0;
  const after = await engine.listHistory("order", "r-1", {});
  expect(await settled("book/hotel/reserve", after)).toBeGreaterThan(
    await settled("book/hotel/reserve"),
  );
  expect(await settled("charge", after)).toBe(await settled("charge"));
  const unknown = await escapement("rewind", "order", "r-1", "nowhere");
  expect(unknown.stderr).toMatch(/^escapement: STEP_NOT_FOUND: /);
  expect(unknown.code).toBe(1);
});

test("S8-010 fork starts another instance at a step, and leaves the one that it is made from", async () => {
  await engine.createInstance("order", { id: "f-1", params: 1 });
  await reaches("f-1", "waiting");
  const again = ["fork", "order", "f-1", "book/hotel/reserve", "2", "--id", "f-2"];
  expect(await printed(...again)).toMatch(/^order f-2: (queued|running), run 1\n/);
  await reaches("f-2", "waiting");
  const [source, fork] = await Promise.all(
    ["f-1", "f-2"].map((id) => engine.listHistory("order", id, {})),
  );
  const chargedAt = [source, fork].map(
    (history) => history?.steps.find(({ stepKey }) => stepKey === "charge")?.createdAt,
  );
  expect(chargedAt[1]).toBe(chargedAt[0]);
  expect(await printed("show", "order", "f-2")).toContain("f-1, before step book/hotel/reserve");
  const unknown = await escapement("fork", "order", "f-1", "nowhere");
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringMatching(/STEP_NOT_FOUND/)]);
});

test("S4-046 emit hands a message to the runs that wait for its topic, once by its key", async () => {
  await engine.createInstance("watch", { id: "e-1" });
  await reaches("e-1", "waiting", "watch");
  const emit = ["emit", "stock", '{"sku":"tea"}', "--key", "m-1"];
  expect(await printed(...emit)).toMatch(/^stock: handed to \d runs?\n$/);
  expect((await reaches("e-1", "complete", "watch")).details.output).toEqual({ sku: "tea" });
  expect(await printed(...emit)).toBe("stock: known by its id already, nothing emitted\n");
  expect((await escapement("emit", "nobody", "1")).stderr).toMatch(
    /^escapement: TOPIC_NOT_FOUND: /,
  );
});

test("send, pause, resume, retry and restart do what they say, to the run that --if-run names", async () => {
  outages.add("card reader");
  await printed("start", "order", "--id", "v-1");
  await reaches("v-1", "errored");
  outages.clear();
  const wrongRun = await escapement("retry", "order", "v-1", "--if-run", "7");
  expect(wrongRun.stderr).toMatch(/^escapement: RUN_NUMBER_MISMATCH: /);
  await printed("retry", "order", "v-1", "--if-run", "1");
  await reaches("v-1", "waiting");
  await printed("pause", "order", "v-1");
  await reaches("v-1", "paused");
  await printed("resume", "order", "v-1");
  await reaches("v-1", "waiting");
  await printed("send", "order", "v-1", "approval", '{"by":"noor"}');
  await reaches("v-1", "complete");
  expect(await printed("restart", "order", "v-1", "--new-keys")).toMatch(
    /^order v-1: \w+, run 2\n/,
  );
});

test("explain says why an instance is not moving, and delete removes one that has ended", async () => {
  await engine.createInstance("order", { id: "x-1" });
  await reaches("x-1", "waiting");
  expect(await printed("explain", "order", "x-1")).toMatch(
    /^It waits at step "approval" for an event of type "approval".*\n$/,
  );
  expect(JSON.parse(await printed("explain", "order", "x-1", "--json"))).toMatchObject({
    cause: "waitsForEvent",
  });
  const early = await escapement("delete", "order", "x-1");
  expect(early.stderr).toMatch(/^escapement: INSTANCE_NOT_ENDED: /);
  await engine.control("order", "x-1", "terminate");
  expect(await printed("delete", "order", "x-1")).toBe("order x-1: deleted\n");
  expect(await printed("delete", "order", "x-1")).toBe("order x-1: there is no such instance\n");
});

test("what callers stored does nothing to the terminal, in tables, errors and JSON", async () => {
  await engine.createInstance("order", {
    id: "h-1",
    params: HOSTILE,
    memo: HOSTILE,
    tags: [HOSTILE],
  });
  await reaches("h-1", "waiting");
  await engine.sendEvent("order", "h-1", { type: "note", payload: HOSTILE });
  const table = await printed("show", "order", "h-1");
  const json = await printed("show", "order", "h-1", "--json");
  const list = await printed("ls", "--id-prefix", "h-");
  expect(`${table}${json}${list}`).not.toMatch(UNSAFE);
  expect(table).toContain(String.raw`\u001b[2J\u009b31m\u202egpj.exe\r\nroot# rm`);
  expect(JSON.parse(json)).toMatchObject({
    details: { memo: HOSTILE },
    events: [{ payload: HOSTILE }],
  });
});

test("tables are cut to the terminal's width, ids never", async () => {
  const id = "w-".padEnd(60, "x");
  await engine.createInstance("order", { id, tags: ["t".repeat(60), "u".repeat(60)] });
  const { stdout } = await runCommand(["ls", "--id-prefix", "w-"], {
    ...environment,
    COLUMNS: "120",
  });
  const lines = stdout.trimEnd().split("\n");
  expect(lines[1]).toContain(id);
  expect(lines[1]).toContain("…");
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(120);
  expect(await printed("ls", "--id-prefix", "w-")).toContain("u".repeat(60));
});
