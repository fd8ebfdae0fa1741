/** The workflows of the fleets: a step, a sleep, a step, and how their instances are asked for. */
import { defineWorkflow, type WorkflowDefinition } from "@escapement/engine";
import { type Deployed, type Scene, waitFor } from "../cost/scene.ts";
import type { Planned, Scenario } from "./scenarios.ts";
import type { TroubleMaker } from "./troubles.ts";

const BODY_MS = 50;
const URL_OF_WORKFLOWS = "https://app.test/api/workflows/workflows";

export interface Run {
  /** How often each body began, and when it did last. */
  readonly bodies: Map<string, { count: number; lastAt: number }>;
  /** When each body was due. */
  readonly dueAt: Map<string, number>;
  readonly ended: Set<string>;
}

interface Watch {
  readonly run: Run;
  readonly maker: TroubleMaker;
  readonly scenario: Scenario;
}

/** Of the newest deployment, and of the one before it, which lacks one and whose other one ends a step earlier. */
export function defineNaps(watch: Watch): Record<"newest" | "older", Scene["workflows"]> {
  const isMixed = watch.scenario.mixedForMs !== undefined;
  const newest = {
    WORK: defineNap(watch, "nap", isMixed),
    FRESH: defineNap(watch, "fresh", true),
  };
  return { newest, older: { WORK: defineNap(watch, "nap", false) } };
}

function defineNap(
  { run: { bodies, ended }, maker, scenario }: Watch,
  name: NonNullable<Planned["workflow"]>,
  isLonger: boolean,
): WorkflowDefinition {
  const { bodyMs = BODY_MS, moreSteps = 0 } = scenario;
  const body = async (instanceId: string, step: string): Promise<void> => {
    const key = `${instanceId}/${step}`;
    bodies.set(key, { count: (bodies.get(key)?.count ?? 0) + 1, lastAt: Date.now() });
    const end = maker.body(instanceId);
    await waitFor(bodyMs);
    end();
  };
  return defineWorkflow({ name }, async ({ instanceId, payload }, step) => {
    const { dueAt = null } = payload as { readonly dueAt?: number | null };
    await step.do("first", () => body(instanceId, "first"));
    if (dueAt !== null) await step.sleepUntil("nap", dueAt);
    await step.do("second", () => body(instanceId, "second"));
    if (isLonger) await step.do("third", () => body(instanceId, "third"));
    for (let more = 0; more < moreSteps; more += 1)
      await step.do(`more-${more}`, () => body(instanceId, `more-${more}`));
    ended.add(instanceId);
  });
}

interface Creation {
  readonly planned: Planned;
  readonly startedAt: number;
  readonly run: Run;
}

/** Asks until it is told that there is one. */
export async function create(deployed: Deployed, creation: Creation): Promise<void> {
  const { planned, startedAt, run } = creation;
  const { id, dueMs, workflow = "nap" } = planned;
  const dueAt = dueMs === null ? null : startedAt + dueMs;
  run.dueAt.set(`${id}/first`, Date.now());
  if (dueAt !== null) run.dueAt.set(`${id}/second`, dueAt);
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify({ id, params: { dueAt } }) };
  const url = `${URL_OF_WORKFLOWS}/${workflow}/instances`;
  const status = await deployed(new Request(url, init)).catch(() => 503);
  // An older deployment does not know the workflow; a platform may have no sandbox left.
  if (status < 500 && status !== 404 && status !== 429) return;
  await waitFor(1000);
  return create(deployed, creation);
}
