/** How callers wait for what a run does: told by a session of this process, or else by looks that all waits of an engine share. */
import type { DurationMs } from "../core/model/records.ts";
import { type InstanceRef, instanceKey } from "../core/model/instance-key.ts";
import type { Slots } from "../process/slots.ts";
import type { HostContext } from "./context.ts";

/** Between two looks at what another process runs: at first, and in the end. */
const FIRST_PAUSE: DurationMs = 25;
const LONGEST_PAUSE: DurationMs = 1000;

/** Looks of all waits of an engine, more or less, a second: as many as a hundred waits make that have looked a few times. */
const LOOKS_A_SECOND = 100;

/** What is waited for. */
export interface Wait<T> {
  readonly ref: InstanceRef;
  readonly timeoutMs: DurationMs;
  /** Ends the wait: nobody is there any more. */
  readonly signal?: AbortSignal | undefined;
  /** One trip. */
  readonly look: () => Promise<T>;
  readonly isOver: (found: T) => boolean;
  /** What a session of this process tells of. Asked for before a look, so that what is committed after it is not missed. */
  readonly newsOf: (session: HereSession) => readonly Promise<unknown>[];
  /** What a session of this process says once it is done, which spares the look; null: it does not say. @default every wait looks */
  readonly hear?: (session: HereSession) => Promise<T | null>;
}

type HereSession = HostContext["slots"]["sessions"][number];

/**
 * Looks until it is over, so long has passed, or the caller has left. While a session of this process advances the run there is
 * nothing to look for; what other processes run is looked at again and again, at first often, in the end once a second, and
 * less often the more there are who wait.
 *
 * @returns what was seen last
 */
export async function lookUntil<T>(context: HostContext, wait: Wait<T>): Promise<T> {
  const { elapsedMs } = context.host;
  const { ref, timeoutMs, signal, look, isOver, newsOf } = wait;
  const startedAt = elapsedMs();
  const leftMs = (): DurationMs => (isAborted(signal) ? 0 : timeoutMs - (elapsedMs() - startedAt));
  const crowd = timeoutMs > 0 ? crowdOf(context.slots) : null;
  const here = crowd?.enter(ref);
  const aborted = signal === undefined ? null : whenAborted(signal);
  try {
    for (let pauseMs = FIRST_PAUSE; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE)) {
      const heard = await hearOf(context, wait, { leftMs: leftMs(), aborted });
      if (heard !== null) return heard;
      const session = findSession(context, ref);
      const news = session === undefined ? [here?.opened()] : newsOf(session);
      const found = await look();
      if (isOver(found) || leftMs() <= 0) return found;
      const limitMs = session === undefined ? spread(context, crowd, pauseMs) : Infinity;
      await pause(context, Math.min(limitMs, leftMs()), [...news, aborted?.promise]);
      if (isAborted(signal)) return found;
    }
  } finally {
    here?.leave();
    aborted?.forget();
  }
}

/** What a session says that advances the run now; null: there is none, it does not say, or not in this time. */
async function hearOf<T>(
  context: HostContext,
  { ref, hear }: Wait<T>,
  { leftMs, aborted }: { readonly leftMs: DurationMs; readonly aborted: Abortion | null },
): Promise<T | null> {
  const session = leftMs > 0 ? findSession(context, ref) : undefined;
  if (hear === undefined || session === undefined) return null;
  let heard: T | null = null;
  const told = hear(session).then((answer) => void (heard = answer));
  await pause(context, leftMs, [told, aborted?.promise]);
  return heard;
}

/** Asked again each time: what it says changes meanwhile. */
const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

/** Many that began together do not look together for long. */
function spread({ host }: HostContext, crowd: Crowd | null, pauseMs: DurationMs): DurationMs {
  const size = crowd?.size ?? 0;
  const leastMs = (size * 1000) / LOOKS_A_SECOND;
  return size <= LOOKS_A_SECOND || leastMs <= pauseMs
    ? pauseMs
    : Math.ceil(leastMs * (0.75 + host.random() / 2));
}

/** The session of this process that advances an instance's run. */
export const findSession = (
  { slots }: HostContext,
  { workflowName, instanceId }: InstanceRef,
): HereSession | undefined =>
  slots.sessions.find(
    ({ claimed: { run } }) => run.workflowName === workflowName && run.instanceId === instanceId,
  );

/** So long, or until one of these happens. */
function pause(
  { host }: HostContext,
  limitMs: DurationMs,
  news: readonly (Promise<unknown> | undefined)[],
): Promise<void> {
  return new Promise((resolve) => {
    const cancel = host.setTimer(limitMs, resolve);
    const end = (): void => {
      cancel();
      resolve();
    };
    for (const one of news) void one?.then(end);
  });
}

interface Abortion {
  readonly promise: Promise<void>;
  readonly forget: () => void;
}

function whenAborted(signal: AbortSignal): Abortion {
  let onAbort = (): void => undefined;
  const promise = new Promise<void>((resolve) => (onAbort = resolve));
  signal.addEventListener("abort", onAbort, { once: true });
  return { promise, forget: () => signal.removeEventListener("abort", onAbort) };
}

/** One who waits. */
interface Place {
  /** Once a session of this process begins to advance the run. */
  readonly opened: () => Promise<void>;
  readonly leave: () => void;
}

const crowds = new WeakMap<Slots, Crowd>();

function crowdOf(slots: Slots): Crowd {
  const known = crowds.get(slots) ?? new Crowd(slots);
  crowds.set(slots, known);
  return known;
}

/** All who wait on an engine. It listens for the sessions of the process only while there are any. */
class Crowd {
  size = 0;
  readonly #slots: Slots;
  readonly #byInstance = new Map<string, Set<() => void>>();
  #stop = (): void => {};

  constructor(slots: Slots) {
    this.#slots = slots;
  }

  enter(ref: InstanceRef): Place {
    const key = instanceKey(ref);
    if (this.size === 0)
      this.#stop = this.#slots.opened.on(({ claimed: { run } }) => this.#tell(instanceKey(run)));
    this.size += 1;
    let tell = (): void => {};
    const waiting = this.#byInstance.get(key) ?? new Set();
    this.#byInstance.set(key, waiting);
    const told = (): void => tell();
    waiting.add(told);
    return {
      opened: () => new Promise<void>((resolve) => (tell = resolve)),
      leave: () => {
        waiting.delete(told);
        if (waiting.size === 0 && this.#byInstance.get(key) === waiting)
          this.#byInstance.delete(key);
        this.size -= 1;
        if (this.size === 0) this.#stop();
      },
    };
  }

  #tell(key: string): void {
    for (const told of this.#byInstance.get(key) ?? []) told();
  }
}
