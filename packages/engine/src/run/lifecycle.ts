/**
 * The listeners of an engine. As long as there are none, `tell` is null and no notices are made. The code that tells them is
 * loaded with the first listener.
 */
import { late } from "../core/late.ts";
import type { Host } from "../ports/host.ts";
import type { LifecycleEvent, LifecycleListener, LifecycleListeners } from "../ports/lifecycle.ts";
import type { Logger } from "../ports/logger.ts";
import type { Notice } from "./notices.ts";
import type { Listening } from "./notify-listeners.ts";

const telling = late(() => import("./notify-listeners.ts"));

/** How many notices are kept until that code is loaded. */
const MAX_EARLY = 1000;

export class Lifecycle {
  /** Takes a notice. Never throws. null: nobody listens. */
  tell: ((notice: Notice) => void) | null = null;
  readonly #parts: { readonly logger: Logger; readonly host: Pick<Host, "elapsedMs"> };
  readonly #listening = new Set<Listening>();

  constructor(
    parts: { readonly logger: Logger; readonly host: Pick<Host, "elapsedMs"> },
    listeners: LifecycleListeners = {},
  ) {
    this.#parts = parts;
    for (const name of Object.keys(listeners) as LifecycleEvent[]) {
      const listener = listeners[name] as LifecycleListener<LifecycleEvent> | undefined;
      if (listener !== undefined) this.on(name, listener);
    }
  }

  /** @param isAtOnce see `ObservedEngine` @returns a function that removes the listener */
  on<TEvent extends LifecycleEvent>(
    name: TEvent,
    listener: LifecycleListener<TEvent>,
    isAtOnce = false,
  ): () => void {
    const listening = { name, listener: listener as Listening["listener"], isAtOnce };
    this.#listening.add(listening);
    this.tell ??= this.#begin();
    return () => {
      this.#listening.delete(listening);
      if (this.#listening.size === 0) this.tell = null;
    };
  }

  /** @returns a function that keeps notices until the code that tells them is loaded */
  #begin(): (notice: Notice) => void {
    const early: Notice[] = [];
    const keep = (notice: Notice): void => {
      if (early.length < MAX_EARLY) early.push(notice);
    };
    void this.#load(keep, early);
    return keep;
  }

  async #load(keep: (notice: Notice) => void, early: readonly Notice[]): Promise<void> {
    let tell: ((notice: Notice) => void) | null = null;
    try {
      tell = (await telling()).createNotifier(this.#listening, this.#parts);
    } catch (error) {
      // The code file is missing, for example because a deploy removed it.
      this.#parts.logger.log("error", "listeners.unloaded", { error: String(error) });
    }
    // The listener may have been removed, and another one added.
    if (this.tell !== keep) return;
    if (tell !== null) for (const notice of early) tell(notice);
    this.tell = tell;
  }
}
