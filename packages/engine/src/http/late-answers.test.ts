/** Requests to a process that no longer has the code that answers them, as after a deploy that removed the file. */
import { expect, it, vi } from "vitest";
import { createEngine, defineWorkflow } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";

let isGone = true;
vi.mock("./answer-request.ts", async (original) => {
  if (isGone) throw new RangeError("no such file");
  return original();
});

it("S9-010 where the code of the routes cannot be loaded, a request is answered with 500, the cause is logged, and an engine that has it answers", async () => {
  const W = defineWorkflow({ name: "w" }, () => 1);
  const lines: { readonly level: string; readonly event: string }[] = [];
  const logger = {
    log: (level: string, event: string, fields: object): void =>
      void lines.push({ level, event, ...fields }),
  };
  const open = (): ReturnType<typeof createEngine> =>
    createEngine({ workflows: { W }, store: createMemoryStore(), logger, http: { open: true } });
  const ask = (engine: ReturnType<typeof open>): Promise<Response> =>
    engine.fetch(new Request("http://host.example/api/workflows/workflows"));
  const refused = await ask(open());
  expect(refused.status).toBe(500);
  expect(await refused.json()).toMatchObject({
    code: "INVARIANT_BROKEN",
    error: { code: "INVARIANT_BROKEN", message: "Unexpected error.", details: {} },
  });
  expect(lines).toContainEqual(expect.objectContaining({ level: "error", event: "http.failed" }));
  const engine = open();
  for (let i = 0; i < 3; i += 1) expect((await ask(engine)).status).toBe(500);
  // Nobody has been let in yet: strangers cannot fill the log.
  expect(lines.filter(({ event }) => event === "http.failed")).toHaveLength(2);
  isGone = false;
  vi.resetModules();
});
