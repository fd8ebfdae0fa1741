/** Somebody who starts instances and approves them, past the proxy, and repeats what failed. */
import type { Engine } from "@escapement/engine";
import { createRandom, type Random } from "./random.ts";
import { APPROVALS, STARTED, type WorkflowName } from "./program/workflows.ts";

/** An instance that was started. */
export interface StartedInstance {
  readonly name: WorkflowName;
  readonly id: string;
}

export interface LoadOptions {
  readonly engine: Engine;
  readonly seed: string;
  readonly durationMs: number;
  /** Instances a second. */
  readonly rate: number;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts instances for so long; resolves when all their events are sent, too. */
export async function runLoad(options: LoadOptions): Promise<readonly StartedInstance[]> {
  const { engine, seed, durationMs, rate } = options;
  const random = createRandom(`load ${seed}`);
  const started: StartedInstance[] = [];
  const sending: Promise<void>[] = [];
  const end = performance.now() + durationMs;
  for (let count = 0; performance.now() < end; count += 1) {
    const name = random.pick(STARTED);
    const instance: StartedInstance = { name, id: `${name}-${count}` };
    started.push(instance);
    sending.push(
      begin(engine, instance).then(() =>
        approve({ engine, random: createRandom(`events ${seed} ${instance.id}`) }, instance),
      ),
    );
    await pause((1000 / rate) * (0.5 + random.next()));
  }
  await Promise.all(sending);
  return started;
}

async function begin(engine: Engine, { name, id }: StartedInstance): Promise<void> {
  await repeat(() => engine.createInstance(name, { id, params: {}, onExisting: "return" }));
}

interface Approving {
  readonly engine: Engine;
  readonly random: Random;
}

/** Sends an instance the events that its workflow waits for, one after the other. */
async function approve(
  { engine, random }: Approving,
  { name, id }: StartedInstance,
): Promise<void> {
  const count = name === "approvals" ? APPROVALS : name === "race" && random.chance(0.5) ? 1 : 0;
  for (let index = 0; index < count; index += 1) {
    await pause(random.between(0, 1500));
    const payload = `approval-${index}`;
    const event = { type: "approve", payload, eventId: payload };
    if (await repeat(() => engine.sendEvent(name, id, event))) return;
  }
}

/** Repeats a call until it is answered. @returns true when the instance has ended already */
async function repeat(call: () => Promise<unknown>): Promise<boolean> {
  for (;;) {
    try {
      await call();
      return false;
    } catch (error) {
      if (codeOf(error) === "INSTANCE_TERMINAL") return true;
      if (!isRetryable(error)) throw error;
      await pause(100);
    }
  }
}

const codeOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : null;
const isRetryable = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "retryable" in error && error.retryable === true;
