/** The current time for pages. It advances while the page is visible, so that "3 min ago" stays correct. */
import { type ReadonlySignal, signal } from "@preact/signals";

const EVERY_MS = 5000;

const present = signal(Date.now());

const moveOn = (): void => {
  if (document.visibilityState !== "hidden") present.value = Date.now();
};
setInterval(moveOn, EVERY_MS);
document.addEventListener("visibilitychange", moveOn);

/** At most some seconds old. */
export const now: ReadonlySignal<number> = present;
