/** The present instant as pages read it: it moves on while somebody looks, so that "3 min ago" does not stand still. */
import { type ReadonlySignal, signal } from "@preact/signals";

const EVERY_MS = 5000;

const present = signal(Date.now());

const moveOn = (): void => {
  if (document.visibilityState !== "hidden") present.value = Date.now();
};
setInterval(moveOn, EVERY_MS);
document.addEventListener("visibilitychange", moveOn);

/** As of some seconds ago at most. */
export const now: ReadonlySignal<number> = present;
