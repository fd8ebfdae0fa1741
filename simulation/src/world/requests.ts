/** What runs were asked for from outside: to end, and how; and what takes that back. */
import type { AskedRun, EndRequest } from "./facts.ts";

export class Requests {
  readonly #byRun = new Map<string, AskedRun>();

  /** All that a run was ever asked for; undefined: nothing. */
  of(runId: string): AskedRun | undefined {
    return this.#byRun.get(runId);
  }

  /** What a run is to do now; null: it goes on. */
  openOf(runId: string): EndRequest | null {
    return this.#byRun.get(runId)?.request ?? null;
  }

  /** Whether any run of an instance was asked for it. @param key as `workflow/id` */
  wasMadeOf(key: string, request: EndRequest): boolean {
    return [...this.#byRun].some(
      ([runId, { all }]) => runId.startsWith(`${key}/`) && all.has(request),
    );
  }

  ask(runId: string, request: EndRequest, at: number): void {
    const before = this.#byRun.get(runId);
    const isOpen = before !== undefined && before.request !== null;
    this.#byRun.set(runId, {
      request: isOpen && before.request !== "cancel" ? before.request : request,
      all: new Set([...(before?.all ?? []), request]),
      since: isOpen ? before.since : at,
      heardAt: isOpen ? before.heardAt : [],
    });
  }

  heard(runId: string, at: number): void {
    this.#byRun.get(runId)?.heardAt.push(at);
  }

  /** The run goes on after all, or was brought back. Nothing takes back what leaves author code. */
  takeBack(runId: string): void {
    const before = this.#byRun.get(runId);
    if (before?.request === "cancel" || before?.request === "deadline") before.request = null;
  }

  /** A fork begins with outcomes of another run, which may tell of a request. */
  copy(from: string, to: string): void {
    const before = this.#byRun.get(from);
    if (before === undefined) return;
    this.#byRun.set(to, { ...before, request: null, all: new Set(before.all), heardAt: [] });
  }
}
