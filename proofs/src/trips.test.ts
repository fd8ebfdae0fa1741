/** Round trips of every operation, counted on the wire. The table of docs/trips.md is written from these numbers. */
import { createEngine } from "@escapement/engine";
import { describe, expect, it } from "vitest";
import { toTable } from "./subjects/table.ts";
import { CALLS } from "./subjects/trip-calls.ts";
import type { Scene } from "./subjects/trip-operation.ts";
import { RUNS } from "./subjects/trip-runs.ts";
import { topics, workflows } from "./subjects/trip-workflows.ts";
import { WIRES, type Wire } from "./subjects/wire.ts";

const OPERATIONS = [...CALLS, ...RUNS];
const measured = new Map<string, number>();

describe.each<Wire>([...WIRES])("trips on $name", (wire) => {
  it.skipIf(!wire.isAvailable)(
    "S0-032 S6-002 S3-021 S3-045 every operation keeps the budget of the design, and replay costs none",
    async () => {
      const wired = await wire.open();
      try {
        const engine = createEngine({ workflows, topics, store: wired.store });
        const scene: Scene = {
          engine,
          wired,
          async count(work) {
            // Connecting is a trip too, and the pool closes connections that nobody has used for a while.
            await Promise.all([wired.store.now(), wired.store.now()]);
            wired.takeTrips();
            await work();
            return wired.takeTrips();
          },
          async completed(workflowName, instanceId) {
            const status = async (): Promise<unknown> =>
              (await wired.uncounted.loadInstance(workflowName, instanceId))?.status;
            await expect.poll(status, { interval: 5, timeout: 60_000 }).toBe("complete");
          },
        };
        for (const { name, measure } of OPERATIONS)
          measured.set(`${wire.name} ${name}`, await measure(scene));
      } finally {
        await wired.close();
      }
      const tripsOf = (name: string): number | undefined => measured.get(`${wire.name} ${name}`);
      expect(Object.fromEntries(OPERATIONS.map(({ name }) => [name, tripsOf(name)]))).toEqual(
        Object.fromEntries(OPERATIONS.map(({ name, budget }) => [name, budget])),
      );
    },
    240_000,
  );
});

function toPage(): string {
  const names = WIRES.map((wire) => wire.name);
  const rows = OPERATIONS.map(({ name, budget }) =>
    [name, budget].concat(names.map((wire) => measured.get(`${wire} ${name}`) ?? "not measured")),
  );
  return `# Round trips

How many round trips each operation takes. \`proofs/src/trips.test.ts\` counts them with a proxy between
engine and database: on Postgres how often the client sent after the server had sent, on libSQL the
requests. The test fails when a number changes.
\`npx vitest run proofs/src/trips.test.ts --update\` writes this page.

${toTable([["operation", "budget", ...names], ...rows]).join("\n")}

These are the trips of an instance that is alone. Runs that are busy in one process at the same time share
trips, so each of them costs less.

- If a create coincides with a claim of the loop in the same process, the run waits for the next claim, and
  takes five trips instead of four.
- A claim reads 8 MiB of histories. A run that does not fit takes a trip for each 8 MiB of its own history,
  whenever it is replayed.
`;
}

describe("docs/trips.md", () => {
  it.skipIf(WIRES.some((wire) => !wire.isAvailable))("says what was counted", async () => {
    expect(measured.size, "everything was counted").toBe(WIRES.length * OPERATIONS.length);
    await expect(toPage()).toMatchFileSnapshot("../../docs/trips.md");
  });
});
