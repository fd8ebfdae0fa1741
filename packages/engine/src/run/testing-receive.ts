/** Runs that take events. */
import type { ReceivedEvent } from "../index.ts";
import type { OneRun } from "../testing/one-run.ts";

/** Types and payloads of events. */
export const said = (events: readonly ReceivedEvent<unknown>[]): readonly string[] =>
  events.map(({ type, payload }) => `${type} ${payload as string}`);

/** Sends events, one after another. */
export async function sendAll(run: OneRun, ...events: readonly string[]): Promise<void> {
  for (const event of events) {
    const [type = "", payload] = event.split(" ");
    await run.send(type, payload);
    await run.harness.clock.advance(1);
  }
}

/** Types that batches are of. */
export const TYPES = ["order", "cancel"];
