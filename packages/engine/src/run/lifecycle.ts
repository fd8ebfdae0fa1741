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

/** Who listens to an engine. */
export interface Lifecycle {
  /** Takes a notice. Never throws. null: nobody listens. */
  tell: ((notice: Notice) => void) | null;
  /** @param isAtOnce see `ObservedEngine` @returns a function that removes the listener */
  on<TEvent extends LifecycleEvent>(
    name: TEvent,
    listener: LifecycleListener<TEvent>,
    isAtOnce?: boolean,
  ): () => void;
}

export function createLifecycle(
  parts: { readonly logger: Logger; readonly host: Pick<Host, "elapsedMs"> },
  listeners: LifecycleListeners = {},
): Lifecycle {
  const listening = new Set<Listening>();
  const lifecycle: Lifecycle = {
    tell: null,
    on: (name, listener, isAtOnce = false) => {
      const added = { name, listener: listener as Listening["listener"], isAtOnce };
      listening.add(added);
      lifecycle.tell ??= begin(lifecycle, parts, listening);
      return () => {
        listening.delete(added);
        if (listening.size === 0) lifecycle.tell = null;
      };
    },
  };
  for (const name of Object.keys(listeners) as LifecycleEvent[]) {
    const listener = listeners[name] as LifecycleListener<LifecycleEvent> | undefined;
    if (listener !== undefined) lifecycle.on(name, listener);
  }
  return lifecycle;
}

/** @returns a function that keeps notices until the code that tells them is loaded */
function begin(
  lifecycle: Lifecycle,
  parts: Parameters<typeof createLifecycle>[0],
  listening: ReadonlySet<Listening>,
): (notice: Notice) => void {
  const early: Notice[] = [];
  const keep = (notice: Notice): void => {
    if (early.length < MAX_EARLY) early.push(notice);
  };
  const load = async (): Promise<void> => {
    let tell: Lifecycle["tell"] = null;
    try {
      tell = (await telling()).createNotifier(listening, parts);
    } catch (error) {
      // The code file is missing, for example because a deploy removed it.
      parts.logger.log("error", "listeners.unloaded", { error: String(error) });
    }
    // The listener may have been removed, and another one added.
    if (lifecycle.tell !== keep) return;
    if (tell !== null) for (const notice of early) tell(notice);
    lifecycle.tell = tell;
  };
  void load();
  return keep;
}
