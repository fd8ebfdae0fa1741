/**
 * Listeners of an engine. As long as there are none, `tell` is null and nothing is made to be told; the code that tells is
 * loaded with the first.
 */
import { late } from "../core/late.ts";
import type { Host } from "../ports/host.ts";
import type { LifecycleEvent, LifecycleListener, LifecycleListeners } from "../ports/lifecycle.ts";
import type { Logger } from "../ports/logger.ts";
import type { Notice } from "./notices.ts";
import type { Listening } from "./tell-listeners.ts";

const telling = late(() => import("./tell-listeners.ts"));

/** Notices that are kept until that code is there. */
const MAX_EARLY = 1000;

export class Lifecycle {
  /** Notes that something has come about. Never throws. null: nobody listens. */
  tell: ((notice: Notice) => void) | null = null;
  readonly #parts: { readonly logger: Logger; readonly host: Pick<Host, "elapsedMs"> };
  readonly #listening = new Set<Listening>();
  #teller: ((notice: Notice) => void) | null = null;
  #early: Notice[] | null = null;

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

  /** @param isAtOnce see `HeardEngine` @returns what stops the listener */
  on<TEvent extends LifecycleEvent>(
    name: TEvent,
    listener: LifecycleListener<TEvent>,
    isAtOnce = false,
  ): () => void {
    const listening = { name, listener: listener as Listening["listener"], isAtOnce };
    this.#listening.add(listening);
    this.tell = this.#teller ?? ((notice) => this.#keep(notice));
    if (this.#teller === null) void this.#load();
    return () => {
      this.#listening.delete(listening);
      if (this.#listening.size === 0) this.tell = null;
    };
  }

  #keep(notice: Notice): void {
    if (this.#early !== null && this.#early.length < MAX_EARLY) this.#early.push(notice);
  }

  async #load(): Promise<void> {
    if (this.#early !== null) return;
    this.#early = [];
    try {
      const { createTeller } = await telling();
      this.#teller = createTeller(this.#listening, this.#parts);
      for (const notice of this.#early) this.#teller(notice);
      if (this.#listening.size > 0) this.tell = this.#teller;
    } catch (error) {
      // Its file is gone, as after a deploy that took it away.
      this.tell = null;
      this.#parts.logger.log("error", "listeners.unloaded", { error: String(error) });
    }
    this.#early = null;
  }
}
