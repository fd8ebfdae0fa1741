/** Runs of an instance that was restarted, as `show` tells them and as commands take them. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeEach, expect, test, vi } from "vitest";
import { runCommand } from "./testing-command.ts";
import { engine, environment, escapement, outages, serveTestingApp } from "./testing-server.ts";

serveTestingApp();
beforeEach(() => outages.clear());

vi.setConfig({ testTimeout: 150_000 });

/** The output of a command that succeeds. */
async function printed(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await escapement(...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

const reaches = (id: string, status: string): Promise<void> =>
  vi.waitFor(
    async () => {
      const { details } = await engine.getInstance("order", id);
      expect(details.status).toBe(status);
    },
    { timeout: 60_000, interval: 20 },
  );

test("show of an earlier run says that commands act on the present one, and shows that one's steps by default", async () => {
  outages.add("card reader");
  await engine.createInstance("order", { id: "e-1" });
  await reaches("e-1", "errored");
  outages.clear();
  const says =
    "Run 1 is an earlier one: the state above is of run 2, and commands act on run 2 only.";
  expect(await printed("show", "order", "e-1")).not.toContain("an earlier one");
  await printed("restart", "order", "e-1", "--if-run", "1");
  await reaches("e-1", "waiting");
  const earlier = await printed("show", "order", "e-1", "--run", "1");
  expect(earlier).toContain(`${says}\n\nSteps of run 1\n`);
  for (const run of [[], ["--run", "2"]]) {
    const present = await printed("show", "order", "e-1", ...run);
    expect(present).toContain("Steps of run 2\n");
    expect(present).not.toContain("an earlier one");
  }
  const { instances } = await engine.findInstances({ idPrefix: "e-1" });
  for (const args of [
    ["retry", "order", "e-1"],
    ["rewind", "order", "e-1", "charge"],
    ["fork", "order", "e-1", "charge"],
    ["send", "order", "e-1", "approval"],
    ["delete", "order", "e-1"],
  ]) {
    for (const [option, value, code] of [
      ["--if-run", "1", "RUN_NUMBER_MISMATCH"],
      ["--if-status", "paused,errored", "STATUS_MISMATCH"],
    ] as const) {
      const refused = await escapement(...args, option, value);
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(code)]);
    }
  }
  expect((await engine.findInstances({ idPrefix: "e-1" })).instances).toEqual(instances);
});

test("show of a run that the instance does not have yet says so", async () => {
  await engine.createInstance("order", { id: "e-2" });
  await reaches("e-2", "waiting");
  const says = "There is no run 9: the state above is of run 1, the present one.";
  expect(await printed("show", "order", "e-2", "--run", "9")).toContain(says);
});

/** The server of the tests, but each instance is restarted right after its state was read. */
async function startRestarting(): Promise<{ readonly url: string; readonly stop: () => void }> {
  const server = createServer((request, response) => {
    void (async () => {
      const upstream = new URL(request.url ?? "", environment["ESCAPEMENT_URL"]);
      const authorization = request.headers.authorization ?? "";
      const answer = await fetch(upstream, { headers: { authorization } });
      const text = await answer.text();
      if (upstream.pathname.endsWith("/e-3/describe"))
        await engine.control("order", "e-3", "restart");
      response.writeHead(answer.status, { "content-type": "application/json" }).end(text);
    })();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/api/workflows`, stop: () => void server.close() };
}

test("show tells the steps of the run whose state it tells, even if the instance is restarted in between", async () => {
  await engine.createInstance("order", { id: "e-3" });
  await reaches("e-3", "waiting");
  const { url, stop } = await startRestarting();
  const { stdout } = await runCommand(["show", "order", "e-3", "--json"], {
    ...environment,
    ESCAPEMENT_URL: url,
  });
  stop();
  expect((await engine.getInstance("order", "e-3")).details.runNumber).toBe(2);
  const told = JSON.parse(stdout) as { readonly steps: readonly { readonly stepKey: string }[] };
  expect(told).toMatchObject({ details: { runNumber: 1, status: "waiting" }, runNumber: 1 });
  expect(told.steps.at(-1)?.stepKey).toBe("approval");
  const earlier = await printed("show", "order", "e-3", "--run", "1");
  expect(earlier).toContain("Run 1 is an earlier one");
  // The step is open for ever, but nothing waits any more.
  expect(earlier).not.toContain("Waiting\n");
});
