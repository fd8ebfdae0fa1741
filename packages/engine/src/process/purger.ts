/**
 * Deletes instances that ended long enough ago, chunk by chunk. Each rule is a walk along the instances with that end, oldest first.
 * Only the process knows how far a walk has come, and that is lost with the process. Loaded with the first purge.
 */
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { DurationMs } from "../core/model/records.ts";
import type { RetentionRule } from "../core/retention.ts";
import type { Host } from "../ports/host.ts";
import type { PagePosition } from "../ports/pages.ts";
import { type ExpiredInstance, type ExpiryRule, RETAIN_CHUNK } from "../ports/retain.ts";
import type { Budget } from "../run/budget.ts";
import type { RunContext } from "../run/context.ts";

/** How many rules one trip looks at. */
const WALKS_AT_ONCE = 12;

/** A purge begins no trip after this time. */
const PURGE_MS: DurationMs = 100;

/** A purge takes one part in so many of the time: while the process is busy, and while it is idle. */
const SHARE = { busy: 20, idle: 2 } as const;

/** The least rest until the next look. `found`: there is more to delete; `onTheWay`: there may be more further on; `ended`: the walks found nothing. */
const REST_MS = { found: 100, onTheWay: 5000, ended: 60_000 } as const;

/** A walk that does not begin with the oldest begins with instances up to this many times as old as the retention time. */
const OLDEST = 64;

export interface Purger {
  /** The last purge found something, so there may be more. */
  readonly hasMore: boolean;
  /** Looks, and deletes what it finds, as far as time and trips allow. @returns how long to rest, in milliseconds */
  purge(budget: Budget, isIdle: () => boolean): Promise<DurationMs>;
}

interface Walk {
  readonly rule: RetentionRule;
  after: PagePosition | null;
  /** The walk began with the oldest, and has found nothing yet. */
  isFruitless: boolean;
  /** The walk ended without finding anything, and looks again at this time, by the monotonic clock. */
  restsUntilMs: number;
}

interface State {
  readonly context: Pick<RunContext, "store" | "host">;
  readonly rules: readonly RetentionRule[];
  /** Ordered: the next walk is first. */
  walks: readonly Walk[];
  /** Whether there are time and trips for one more trip. */
  mayGoOn: () => boolean;
}

export function createPurger(
  { logger, ...context }: Pick<RunContext, "store" | "host" | "logger">,
  rules: readonly RetentionRule[],
): Purger {
  const walks = rules.map((rule) => beginSomewhere(context.host, rule));
  const state: State = { context, rules, walks, mayGoOn: () => false };
  let hasMore = false;
  return {
    get hasMore() {
      return hasMore;
    },
    async purge(budget, isIdle) {
      hasMore = false;
      const begunMs = context.host.elapsedMs();
      const tookMs = (): DurationMs => context.host.elapsedMs() - begunMs;
      state.mayGoOn = () => budget.hasTime() && budget.runsToClaim() > 0 && tookMs() < PURGE_MS;
      const { deletedCount, hasFound } = await purgeOn(state);
      if (deletedCount > 0) logger.log("info", "retention.purged", { deletedCount });
      hasMore = hasFound;
      if (!hasFound) return restOf(state);
      const share = isIdle() ? SHARE.idle : SHARE.busy;
      return Math.max(REST_MS.found, tookMs() * (share - 1));
    },
  };
}

/**
 * Half of the walks begin with the oldest instances. The others begin somewhere else, so that processes that live for only one
 * purge do not look at the same instances each time, which may be many that ended long after they were created.
 */
function beginSomewhere(host: Host, rule: RetentionRule): Walk {
  const isWhole = host.random() >= 0.5;
  const at = Math.max(0, Math.floor(host.now() - rule.keepMs * OLDEST ** host.random()));
  const after = isWhole ? null : { at, id: "" };
  return { rule, after, isFruitless: isWhole, restsUntilMs: -Infinity };
}

function restOf({ walks, context }: State): DurationMs {
  const nowMs = context.host.elapsedMs();
  const untilMs = Math.min(...walks.map(({ restsUntilMs }) => restsUntilMs));
  return untilMs <= nowMs ? REST_MS.onTheWay : untilMs - nowMs;
}

interface Purged {
  readonly deletedCount: number;
  readonly hasFound: boolean;
}

/** Goes on with the walks. One that found something continues after all others have looked. */
async function purgeOn(state: State): Promise<Purged> {
  const nowMs = state.context.host.elapsedMs();
  const queue = state.walks.filter(({ restsUntilMs }) => restsUntilMs <= nowMs);
  let deletedCount = 0;
  let hasFound = false;
  while (queue.length > 0 && state.mayGoOn()) {
    const walks = queue.splice(0, WALKS_AT_ONCE);
    for (const found of await find(state, walks)) {
      const count = await deleteFound(state, found);
      deletedCount += count.deleted;
      const isFruitful = count.deleted + count.emptied > 0;
      hasFound ||= isFruitful;
      if (isFruitful || beginsAnew(state, found.walk)) queue.push(found.walk);
    }
  }
  state.walks = [...queue, ...state.walks.filter((walk) => !queue.includes(walk))];
  return { deletedCount, hasFound };
}

/** Whether a walk starts again: it has ended, and did not begin with the oldest, or found instances that are gone by now. */
const beginsAnew = ({ context }: State, { after, restsUntilMs }: Walk): boolean =>
  after === null && restsUntilMs <= context.host.elapsedMs();

/** What a walk found, and where it continues after that is deleted. */
interface Found {
  readonly walk: Walk;
  readonly expired: readonly ExpiredInstance[];
  readonly next: PagePosition | null;
  readonly rules: readonly ExpiryRule[];
}

async function find({ context, rules }: State, walks: readonly Walk[]): Promise<readonly Found[]> {
  const { now, pages } = await context.store.findExpired(
    walks.map(({ rule, after }) => ({ ...rule, after })),
  );
  const expiry = rules.map(({ workflowName, status, keepMs }) => ({
    workflowName,
    status,
    before: now - keepMs,
  }));
  return walks.map((walk, index) => ({
    walk,
    expired: pages[index]?.expired ?? [],
    next: pages[index]?.next ?? null,
    rules: expiry,
  }));
}

/** Deletes what was found. If time runs out, the walk stays where it is: deleted instances are not found again. */
async function deleteFound(
  state: State,
  { walk, expired, next, rules }: Found,
): Promise<{ readonly deleted: number; readonly emptied: number }> {
  const { store } = state.context;
  let deleted = 0;
  let emptied = 0;
  let isDone = true;
  for (const group of toGroups(expired)) {
    if (!state.mayGoOn()) isDone = false;
    if (!isDone) break;
    const [first] = group;
    if (first === undefined) continue;
    const empty = (): Promise<boolean> => store.emptyExpired({ instance: toRef(first), rules });
    if (isLarge(first)) {
      isDone = !(await empty()) || first.rowCount <= RETAIN_CHUNK.rows;
      if (!isDone) emptied += 1;
    } else {
      const { count, isTooLarge } = await store.deleteExpired({
        instances: group.map(toRef),
        rules,
      });
      deleted += count;
      // Its children have too many rows. It no longer holds them, so they are deleted on their own.
      if (isTooLarge) await empty();
    }
  }
  const hasFound = deleted + emptied > 0;
  if (hasFound || !isDone) walk.isFruitless = false;
  if (isDone) goOn(state, walk, next);
  return { deleted, emptied };
}

function goOn({ context }: State, walk: Walk, next: PagePosition | null): void {
  walk.after = next;
  if (next !== null) return;
  if (walk.isFruitless) walk.restsUntilMs = context.host.elapsedMs() + REST_MS.ended;
  walk.isFruitless = true;
}

const toRef = ({ workflowName, instanceId }: ExpiredInstance): InstanceRef => ({
  workflowName,
  instanceId,
});

/** Whether an instance has more rows or more children than may be deleted at once. */
const isLarge = ({ rowCount, childRowCount, childCount }: ExpiredInstance): boolean =>
  rowCount + childRowCount > RETAIN_CHUNK.rows || childCount > RETAIN_CHUNK.children;

/** Groups instances for one trip each: several without children, up to the most rows of a trip; any other alone. */
function toGroups(expired: readonly ExpiredInstance[]): readonly (readonly ExpiredInstance[])[] {
  const groups: ExpiredInstance[][] = [];
  let room = -1;
  for (const one of expired) {
    const isAlone = one.childCount > 0 || isLarge(one);
    room -= one.rowCount;
    if (!isAlone && room >= 0) groups.at(-1)?.push(one);
    else groups.push([one]);
    if (isAlone) room = -1;
    else if (groups.at(-1)?.length === 1) room = RETAIN_CHUNK.rows - one.rowCount;
  }
  return groups;
}
