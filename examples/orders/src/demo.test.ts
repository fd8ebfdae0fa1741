import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  createPostgresDatabase,
  ofToday,
  sqldAvailable,
  startSqld,
  temporaryDirectory,
} from "@escapement-internal/test-servers";
import { afterEach, expect, test } from "vitest";

const A_RUN_MS = 120_000;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

interface Demo {
  readonly process: ChildProcess;
  readonly output: () => string;
  readonly exit: Promise<number | null>;
}

function startDemo(...args: readonly string[]): Demo {
  const main = fileURLToPath(new URL("main.ts", import.meta.url));
  const command = ["--import", import.meta.resolve("tsx"), main, ...args];
  const child = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => (output += String(chunk)));
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
  cleanups.push(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await exit;
  });
  return { process: child, output: () => output, exit };
}

function newFolder(): string {
  const directory = temporaryDirectory();
  cleanups.push(() => directory.remove());
  return join(directory.path, "run");
}

/** The value of a row of the table. */
const valueOf = (demo: Demo, row: string): string | undefined =>
  new RegExp(`^ +${row} +(\\S+)`, "m").exec(demo.output())?.[1];

function expectRight(demo: Demo, orderCount: number): void {
  for (const row of ["orders", "complete", "receipts"])
    expect(valueOf(demo, row), demo.output()).toBe(String(orderCount));
  expect(valueOf(demo, "charges per order")).toBe("1");
  expect(Number(valueOf(demo, "charge requests"))).toBeGreaterThanOrEqual(orderCount);
  expect(Number(valueOf(demo, "steps completed"))).toBeGreaterThanOrEqual(4 * orderCount);
  expect(Number(valueOf(demo, "trips per step"))).toBeGreaterThan(0);
  expect(demo.output()).toContain("The ledger is right");
}

const isAlive = (pid: number): boolean => {
  try {
    // A zombie still has a pid; `ps` tells it from the living.
    return !execFileSync("ps", ["-o", "stat=", "-p", String(pid)])
      .toString()
      .startsWith("Z");
  } catch {
    return false;
  }
};

const childrenOf = (pid: number): readonly number[] =>
  execFileSync("ps", ["-o", "pid=", "--ppid", String(pid)])
    .toString()
    .trim()
    .split(/\s+/)
    .map(Number);

test(
  "S0-001 the demo itself killed with SIGKILL: its processes die with it, and the next start goes on to one charge per order",
  { timeout: A_RUN_MS },
  async () => {
    const folder = newFolder();
    const args = ["--orders", "30", "--kills", "2", "--fast", "--dir", folder];
    const first = startDemo(...args);
    await expect
      .poll(() => first.output(), { timeout: 60_000 })
      .toMatch(/SIGKILL to process[^]*worker 2 started/);
    const busy = startDemo(...args);
    expect(await busy.exit).toBe(1);
    expect(busy.output()).toContain(`another demo (process ${first.process.pid}) is running`);
    // One of them may still be loading, with nobody there yet to hear that its parent has gone.
    const children = childrenOf(first.process.pid ?? 0);
    expect(children.length).toBeGreaterThanOrEqual(2);
    first.process.kill("SIGKILL");
    await expect.poll(() => children.some(isAlive), { timeout: 60_000 }).toBe(false);

    const second = startDemo(...args);
    expect(await second.exit, second.output()).toBe(0);
    expect(second.output()).toContain("an unfinished run is in there: going on with it");
    expectRight(second, 30);
    expect(Number(valueOf(second, "kills survived"))).toBeGreaterThanOrEqual(2);
    expect(Number(valueOf(second, "attempts lost"))).toBeGreaterThanOrEqual(1);
    const receipts = readdirSync(join(folder, "receipts")).filter((name) => name.endsWith(".json"));
    expect(receipts).toHaveLength(30);
  },
);

const dashboardOf = (demo: Demo): string | undefined =>
  /dashboard:? (http:\/\/127\.0\.0\.1:\d+\/dashboard)/.exec(demo.output())?.[1];

test(
  "the dashboard is there while the demo runs, and shows what came out once it has ended",
  { timeout: A_RUN_MS },
  async () => {
    const folder = newFolder();
    const demo = startDemo("--orders", "6", "--kills", "0", "--fast", "--dir", folder);
    await expect.poll(() => dashboardOf(demo)).toBeDefined();
    expect(await (await fetch(`${dashboardOf(demo)}/instances`)).text()).toContain(
      "<!doctype html>",
    );
    expect(await demo.exit, demo.output()).toBe(0);

    const look = startDemo("--look", "--dir", folder);
    await expect.poll(() => dashboardOf(look)).toBeDefined();
    const answer = await fetch(`${dashboardOf(look)}/api/instances?status=complete`);
    const { instances } = (await answer.json()) as { readonly instances: readonly unknown[] };
    expect(instances).toHaveLength(6);
    const pause = `${dashboardOf(look)}/api/workflows/order/instances/any/pause`;
    expect((await fetch(pause, { method: "POST" })).status).toBe(403);
    look.process.kill("SIGINT");
    expect(await look.exit).toBe(0);

    const nothing = startDemo("--look", "--dir", newFolder());
    expect(await nothing.exit).toBe(1);
    expect(nothing.output()).toContain("run the demo first");
  },
);

/** Local addresses, as Linux writes them, on which a demo's processes listen. */
function listeningAddresses(pids: readonly number[]): readonly string[] {
  const sockets = new Set(pids.flatMap(socketsOf));
  return ["tcp", "tcp6"].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === "0A" && sockets.has(`socket:[${fields[9]}]`))
      .map(([, address = ""]) => address.replace(/:.*/, "")),
  );
}

function socketsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
  } catch {
    // It has gone meanwhile.
    return [];
  }
}

test.skipIf(!existsSync("/proc/net/tcp"))(
  "the demo opens nothing to the network, and ends by saying what to try next",
  { timeout: A_RUN_MS },
  async () => {
    const demo = startDemo("--orders", "12", "--kills", "0", "--fast", "--dir", newFolder());
    const pid = demo.process.pid ?? 0;
    const listening = (): readonly string[] => listeningAddresses([pid, ...childrenOf(pid)]);
    // The worker and the payment service.
    await expect.poll(() => listening().length, { timeout: 60_000 }).toBe(2);
    expect(new Set(listening())).toEqual(new Set(["0100007F"]));
    expect(await demo.exit, demo.output()).toBe(0);
    expect(demo.output()).toMatch(/What to try next\n +npm run demo -- .*\n[^]*workflow\.ts/);
  },
);

/** A server, the option that names it, and what removes it. */
const SERVERS = {
  Postgres: async (): Promise<readonly string[]> => {
    const { url, drop } = await createPostgresDatabase();
    cleanups.push(drop);
    return ["--postgres", url];
  },
  "a libSQL server": async (): Promise<readonly string[]> => {
    const { url, stop } = await startSqld();
    cleanups.push(stop);
    return ["--libsql", url];
  },
};
/** By the day: what is between the demo and either of them is the store's own. */
const SERVERS_OF_TODAY = ofToday(["Postgres", "a libSQL server"] as const, 1);

for (const name of SERVERS_OF_TODAY) {
  test.skipIf(name === "a libSQL server" && !sqldAvailable())(
    `the demo on ${name}: one charge per order`,
    { timeout: A_RUN_MS },
    async () => {
      const args = ["--orders", "12", "--kills", "2", "--fast", "--dir", newFolder()];
      const demo = startDemo(...args, ...(await SERVERS[name]()));
      expect(await demo.exit, demo.output()).toBe(0);
      expectRight(demo, 12);
      expect(valueOf(demo, "kills survived")).toBe("2");
    },
  );
}

test(
  "Ctrl-C stops the demo with a word on how to go on, and a run is not mixed with another",
  { timeout: A_RUN_MS },
  async () => {
    const folder = newFolder();
    const demo = startDemo("--orders", "4", "--kills", "0", "--fast", "--dir", folder);
    await expect.poll(() => demo.output(), { timeout: 60_000 }).toContain("worker 1 started");
    demo.process.kill("SIGINT");
    expect(await demo.exit).toBe(130);
    expect(demo.output()).toContain("the same command continues");
    const other = startDemo("--orders", "5", "--kills", "0", "--dir", folder);
    expect(await other.exit).toBe(1);
    expect(other.output()).toContain("holds an unfinished run with other orders");
  },
);

test.each([
  ["an option that does not exist", ["--order", "3"], 2, "--order"],
  ["more orders than there are", ["--orders", "5000"], 2, "the file has only 200"],
  ["a database that is not there", ["--postgres", "postgres://u@127.0.0.1:1/x"], 1, "cannot use"],
])("%s is told in words", async (_name, args, code, words) => {
  const demo = startDemo(...args, "--dir", newFolder());
  expect(await demo.exit).toBe(code);
  expect(demo.output()).toContain(words);
  expect(demo.output()).not.toContain("    at ");
});

test("a folder that cannot be made, or has other files in it, is refused and left alone", async () => {
  const directory = temporaryDirectory();
  cleanups.push(() => directory.remove());
  writeFileSync(join(directory.path, "thesis.txt"), "");
  const inUse = startDemo("--dir", directory.path, "--fresh");
  expect(await inUse.exit).toBe(1);
  expect(inUse.output()).toContain("files that are not the demo's, such as thesis.txt");
  const impossible = startDemo("--dir", join(directory.path, "thesis.txt", "run"));
  expect(await impossible.exit).toBe(1);
  expect(impossible.output()).toContain("is not a directory");
  expect(readdirSync(directory.path)).toEqual(["thesis.txt"]);
});
