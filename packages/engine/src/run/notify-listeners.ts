/** Calls listeners, each in a turn of its own, so that none can hold up a run or another listener. */
import { toErrorRecord } from "../core/error-record.ts";
import type { Host } from "../ports/host.ts";
import type { LifecycleEvent } from "../ports/lifecycle.ts";
import type { Logger } from "../ports/logger.ts";
import { Repeats } from "../core/repeats.ts";
import { toErrorFields } from "./log-errors.ts";
import { type Emit, toEvents } from "./lifecycle-events.ts";
import type { Notice } from "./notices.ts";

/** A listener and what it listens to. */
export interface Listening {
  readonly name: LifecycleEvent;
  readonly listener: (event: unknown) => unknown;
  /** See `ObservedEngine`. */
  readonly isAtOnce: boolean;
}

/** @param listening gives the current listeners @returns a function that never throws */
export function createNotifier(
  listening: ReadonlySet<Listening>,
  { logger, host }: { readonly logger: Logger; readonly host: Pick<Host, "elapsedMs"> },
): (notice: Notice) => void {
  const repeats = new Repeats();
  const report = (name: LifecycleEvent, thrown: unknown): void => {
    const fields = { listener: name, ...toErrorFields(toErrorRecord(thrown)) };
    const told = repeats.tell(name, host.elapsedMs(), fields);
    if (told !== null) logger.log("error", "listener.failed", told);
  };
  const call = (one: Listening, event: object): void => {
    if (one.isAtOnce) return void one.listener(event);
    void Promise.resolve<unknown>(Object.freeze(event))
      .then((told) => (listening.has(one) ? one.listener(told) : undefined))
      .catch((thrown: unknown) => report(one.name, thrown));
  };
  const emit: Emit = (name, event) => {
    for (const one of listening) if (one.name === name) call(one, event);
  };
  const hasListener = (name: LifecycleEvent): boolean => {
    for (const one of listening) if (one.name === name) return true;
    return false;
  };
  const tell = toEvents(emit, hasListener);
  return (notice) => {
    try {
      tell(notice);
    } catch (error) {
      logger.log("error", "listeners.untold", toErrorFields(toErrorRecord(error)));
    }
  };
}
