/** Waits for what a run does: a session of this process reports it, or else the wait reads the database, in trips that all waits share. */
import type { DurationMs } from "../core/model/records.ts";
import { type InstanceRef, instanceKey } from "../core/model/instance-key.ts";
import type { Slots } from "../process/slots.ts";
import type { HostContext } from "./context.ts";
import { engineClosed } from "./refusals.ts";

/** The pause between two reads of a run of another process: the first pause, and the longest. */
const FIRST_PAUSE: DurationMs = 25;
const LONGEST_PAUSE: DurationMs = 1000;

/** About how many reads per second all waits of an engine make together: as many as a hundred waits that read once a second. */
const READS_A_SECOND = 100;

/** A wait of a caller. */
export interface Wait<T> {
  readonly ref: InstanceRef;
  readonly timeoutMs: DurationMs;
  /** Ends the wait when the caller is gone. */
  readonly signal?: AbortSignal | undefined;
  /** One trip. */
  readonly read: () => Promise<T>;
  readonly isOver: (found: T) => boolean;
  /** Promises of a session of this process that end a pause. Requested before a read, so that no commit after the read is missed. */
  readonly newsOf: (session: HereSession) => readonly Promise<unknown>[];
  /** The result from a session of this process, which saves a read; null: the session does not know it. @default every wait reads */
  readonly hear?: (session: HereSession) => Promise<T | null>;
}

type HereSession = HostContext["slots"]["sessions"][number];

/**
 * Reads until the wait is over, its time has passed, or the caller has left. While a session of this process advances the run, it
 * need not read. It reads runs of other processes again and again: often at first, then once a second, and less often the more
 * callers wait.
 *
 * @returns what it saw last
 * @throws {WorkflowError} ENGINE_CLOSED; as `read`
 */
export async function pollUntil<T>(context: HostContext, wait: Wait<T>): Promise<T> {
  const { elapsedMs } = context.host;
  const { ref, timeoutMs, signal, read, isOver, newsOf } = wait;
  const startedAt = elapsedMs();
  const leftMs = (): DurationMs => (isAborted(signal) ? 0 : timeoutMs - (elapsedMs() - startedAt));
  const crowd = timeoutMs > 0 ? crowdOf(context.slots) : null;
  const here = crowd?.enter(ref);
  const { slots } = context;
  const aborted = signal === undefined ? null : whenAborted(signal);
  try {
    for (let pauseMs = FIRST_PAUSE; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE)) {
      const heard = await hearOf(context, wait, {
        leftMs: leftMs(),
        ends: [aborted?.promise, here?.shut],
      });
      if (heard !== null) return heard;
      const session = findSession(context, ref);
      const news = session === undefined ? [here?.opened()] : newsOf(session);
      const found = await read().catch((error: unknown) => {
        throw slots.isShut && crowd !== null ? engineClosed(ref) : error;
      });
      if (isOver(found) || leftMs() <= 0) return found;
      const limitMs = session === undefined ? spread(context, crowd, pauseMs) : Infinity;
      await pause(context, Math.min(limitMs, leftMs()), [...news, aborted?.promise, here?.shut]);
      if (isAborted(signal)) return found;
      if (slots.isShut) throw engineClosed(ref);
    }
  } finally {
    here?.leave();
    aborted?.forget();
  }
}

/** The result from the session that advances the run now; null: there is no session, or it does not know in time. */
async function hearOf<T>(
  context: HostContext,
  { ref, hear }: Wait<T>,
  {
    leftMs,
    ends,
  }: { readonly leftMs: DurationMs; readonly ends: readonly (Promise<unknown> | undefined)[] },
): Promise<T | null> {
  const session = leftMs > 0 ? findSession(context, ref) : undefined;
  if (hear === undefined || session === undefined) return null;
  let heard: T | null = null;
  const told = hear(session).then((answer) => void (heard = answer));
  await pause(context, leftMs, [told, ...ends]);
  return heard;
}

/** A function, because the compiler would assume that `aborted` does not change. */
const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

/** Spreads the pauses, so that waits that began together do not look together for long. */
function spread({ host }: HostContext, crowd: Crowd | null, pauseMs: DurationMs): DurationMs {
  const size = crowd?.size ?? 0;
  const leastMs = (size * 1000) / READS_A_SECOND;
  return size <= READS_A_SECOND || leastMs <= pauseMs
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

/** Pauses for a time, or until one of these promises settles. */
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

/** The place of one waiting caller. */
interface Place {
  /** Resolves when a session of this process begins to advance the run. */
  readonly opened: () => Promise<void>;
  /** Resolves when the engine is closed. */
  readonly shut: Promise<void>;
  readonly leave: () => void;
}

const crowds = new WeakMap<Slots, Crowd>();

function crowdOf(slots: Slots): Crowd {
  const known = crowds.get(slots) ?? new Crowd(slots);
  crowds.set(slots, known);
  return known;
}

/** All waiting callers of an engine. It listens to the sessions of the process only while somebody waits. */
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
    let end = (): void => {};
    const shut = new Promise<void>((resolve) => (end = resolve));
    const forget = this.#slots.shut.on(end);
    return {
      shut,
      opened: () => new Promise<void>((resolve) => (tell = resolve)),
      leave: () => {
        forget();
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
