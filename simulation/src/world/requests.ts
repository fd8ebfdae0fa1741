/** What runs were asked for: to end, and how, from outside or by their deadline; and what takes that back. */
import type { When } from "./engine-types.ts";
import type { AskedRun, EndRequest } from "./facts.ts";

export class Requests {
  readonly #byRun = new Map<string, AskedRun>();
  /** By instance; absent: none. */
  readonly #deadlines = new Map<string, number>();

  /** All that a run was ever asked for; undefined: nothing. */
  of(runId: string): AskedRun | undefined {
    return this.#byRun.get(runId);
  }

  /** What a run was last asked for, and told of if it was by its deadline; null: it goes on. */
  openOf(runId: string): EndRequest | null {
    return this.#byRun.get(runId)?.request ?? null;
  }

  /** What a run is to do at an instant; null: to go on. */
  openAt(runId: string, at: number): EndRequest | null {
    const open = this.openOf(runId);
    if (open !== null) return open;
    return (this.deadlineOf(instanceOf(runId)) ?? Infinity) <= at ? "deadline" : null;
  }

  /** @param key as `workflow/id` */
  deadlineOf(key: string): number | null {
    return this.#deadlines.get(key) ?? null;
  }

  /** A deadline is given, or taken away. @param when undefined: nothing is said of it */
  setDeadline(key: string, when: When | null | undefined, now: number): void {
    if (when === undefined) return;
    if (when === null) this.#deadlines.delete(key);
    else this.#deadlines.set(key, "at" in when ? when.at : now + when.inMs);
  }

  /** The instance begins anew, or goes on: a deadline that has passed is none. */
  dropPassed(key: string, now: number): void {
    if ((this.deadlineOf(key) ?? Infinity) <= now) this.#deadlines.delete(key);
  }

  /** Whether any run of an instance was asked for it. @param key as `workflow/id` */
  wasMadeOf(key: string, request: EndRequest): boolean {
    return [...this.#byRun].some(
      ([runId, { all }]) => runId.startsWith(`${key}/`) && all.has(request),
    );
  }

  /** A run is asked to end, or told that its deadline has passed. */
  ask(runId: string, request: EndRequest, at: number): void {
    const before = this.#byRun.get(runId);
    const open = this.openAt(runId, at);
    const isFirst = before === undefined || before.request === null;
    const next = takesPlace(open, request) ? request : open;
    this.#byRun.set(runId, {
      request: next,
      all: new Set([...(before?.all ?? []), request, ...(next === null ? [] : [next])]),
      since: isFirst ? at : before.since,
      heardAt: isFirst ? [] : before.heardAt,
    });
  }

  heard(runId: string, at: number): void {
    this.#byRun.get(runId)?.heardAt.push(at);
  }

  /** The run goes on after all, or was brought back. Nothing takes back what leaves author code. */
  takeBack(runId: string, now: number): void {
    const before = this.#byRun.get(runId);
    if (before?.request === "cancel" || before?.request === "deadline") before.request = null;
    this.dropPassed(instanceOf(runId), now);
  }

  /** A fork begins with outcomes of another run, which may tell of a request. */
  copy(from: string, to: string): void {
    const before = this.#byRun.get(from);
    if (before === undefined) return;
    this.#byRun.set(to, { ...before, request: null, all: new Set(before.all), heardAt: [] });
  }
}

/** Nothing takes the place of what leaves author code; and of a deadline, which is told as a cancel is, only that does. */
const takesPlace = (open: EndRequest | null, next: EndRequest): boolean =>
  open === null || open === "cancel" || (open === "deadline" && next !== "cancel");

const instanceOf = (runId: string): string => runId.slice(0, runId.lastIndexOf("/"));
