/** The engine as a host would use it: one process, one loop, nothing tuned but the number of connections. */
import {
  createEngine,
  defineWorkflow,
  type EngineOptions,
  type Logger,
  type WorkflowDefinition,
  type WorkflowsRegistry,
} from "@escapement/engine";
import type { Contender } from "./contender.ts";
import type { Milestones } from "./milestones.ts";
import { WORK, type WorkInput, type WorkName } from "./work.ts";

/** Creates the engine over a migrated store, with its loop running. `close` closes the store. */
export function createOurs(
  store: EngineOptions<WorkflowsRegistry>["store"],
  milestones: Milestones,
  options: Pick<EngineOptions<WorkflowsRegistry>, "retention" | "telemetry"> = {},
): Contender {
  const workflow = (name: WorkName): WorkflowDefinition =>
    defineWorkflow({ name }, ({ payload }, step) =>
      WORK[name](
        {
          do: (stepName, body) => step.do(stepName, body),
          sleep: (stepName, durationMs) => step.sleep(stepName, durationMs),
          event: (stepName) => step.waitForEvent(stepName, { type: "go" }),
        },
        payload as WorkInput,
        milestones,
      ),
    );
  const engine = createEngine({
    workflows: {
      three: workflow("three"),
      long: workflow("long"),
      event: workflow("event"),
      sleep: workflow("sleep"),
      fan: workflow("fan"),
      held: workflow("held"),
    },
    store,
    logger: createEndLogger(milestones),
    ...options,
  });
  const loop = engine.startLoop();
  const nameOf = new Map<string, WorkName>();
  return {
    async start(name, input) {
      const { id } = await engine.workflows[name].create({ params: input });
      nameOf.set(id, name);
      return id;
    },
    async sendEvent(id, payload) {
      await engine.sendEvent(nameOf.get(id) ?? "", id, { type: "go", payload });
    },
    ended: (id) => milestones.reached(`${id}:ended`),
    parked: (id) => milestones.reached(`${id}:parked`),
    async close() {
      await loop.stop();
      await store.close();
    },
  };
}

/** Hears of each run's end after its last commit, as the floor does of its last update. */
const createEndLogger = (milestones: Milestones): Logger => ({
  log(level, event, fields) {
    if (event === "run.ended") {
      const state = fields["end"] === "parked" ? "parked" : "ended";
      milestones.reach(`${String(fields["instanceId"])}:${state}`);
    } else if (level !== "debug" && !EXPECTED.has(event)) console.error(level, event, fields);
  },
});

/** The second where a comparison has a server without fsync. */
const EXPECTED: ReadonlySet<string> = new Set(["retention.purged", "database.loses_commits"]);
