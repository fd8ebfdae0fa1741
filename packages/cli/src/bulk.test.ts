/** `escapement bulk`, as a process against the HTTP API that the Node adapter serves. */
import { expect, test, vi } from "vitest";
import { engine, escapement, outages, serveTestingApp } from "./testing-server.ts";

serveTestingApp();

vi.setConfig({ testTimeout: 150_000 });

test("S8-004 bulk retry tells what it would do, asks before it begins, and shows how far it has come", async () => {
  outages.add("card reader");
  for (const id of ["a", "b", "c"]) await engine.createInstance("order", { id, tags: ["broken"] });
  await vi.waitFor(
    async () => {
      const asked = { status: ["errored"] } as const;
      expect((await engine.findInstances(asked)).instances).toHaveLength(3);
    },
    { timeout: 60_000 },
  );
  outages.clear();
  const filter = ["--workflow", "order", "--tag", "broken"];
  const dry = await escapement("bulk", "retry", ...filter, "--dry-run");
  expect(dry).toMatchObject({ code: 0, stderr: "" });
  expect(dry.stdout).toMatch(/^3 instances would be retried\.\n/);
  expect((await engine.listBulks()).bulks).toEqual([]);
  const unasked = await escapement("bulk", "retry", ...filter);
  expect(unasked).toMatchObject({ code: 2, stdout: "" });
  expect(unasked.stderr).toContain("--yes");
  const begun = await escapement("bulk", "retry", ...filter, "--yes", "--json", "--key", "k-1");
  const { id } = JSON.parse(begun.stdout) as { readonly id: string };
  await vi.waitFor(async () => expect((await engine.getBulk(id)).status).toBe("complete"), {
    timeout: 60_000,
  });
  const shown = await escapement("bulk", "show", id);
  expect(shown.stdout).toBe(`${id}: retry, complete; 3 done of 3, 0 refused, 0 left\n`);
  const again = await escapement("bulk", "retry", ...filter, "--yes", "--json", "--key", "k-1");
  expect(JSON.parse(again.stdout)).toMatchObject({ id });
  expect((await escapement("bulk", "ls")).stdout).toMatch(
    new RegExp(`${id} +retry +complete +3 +0 +3`),
  );
  expect((await escapement("bulk", "stop", id)).code).toBe(1);
  expect((await escapement("bulk", "delete", "--dry-run")).stderr).toContain("which instances?");
  expect((await escapement("ls", "--stuck")).stdout).toBe("No instance found.\n");
});
