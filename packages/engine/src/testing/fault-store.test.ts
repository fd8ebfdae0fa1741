import { describe, expect, it } from "vitest";
import type { Store } from "../ports/store.ts";
import { createFaultStore, type Fault, type StoreVerb } from "./fault-store.ts";

const VERBS: readonly StoreVerb[] = [
  "create",
  "claim",
  "commit",
  "control",
  "sendEvent",
  "loadInstance",
  "listInstances",
  "loadHistory",
  "now",
];

type Calls = Record<StoreVerb, (parameter: string) => Promise<unknown>>;

/** A store that records the calls that reach it, behind one that fails as planned. */
function createSubject(faults: readonly Fault[]): {
  readonly arrived: string[];
  readonly calls: Calls;
  readonly kill: () => void;
  readonly deliverHeld: () => Promise<void>;
} {
  const arrived: string[] = [];
  const note = (verb: string) => async (parameter: unknown) => {
    arrived.push(`${verb} ${String(parameter)}`);
    return parameter;
  };
  const base = Object.fromEntries(VERBS.map((verb) => [verb, note(verb)])) as unknown as Store;
  const store = createFaultStore(base, ({ call }) => faults[call - 1] ?? "none");
  return {
    arrived,
    calls: store as unknown as Calls,
    kill: store.kill,
    deliverHeld: store.deliverHeld,
  };
}

describe.each(VERBS)("the fault store, %s", (verb) => {
  it("S5-005 delivers a call late: it fails, and arrives after the next one", async () => {
    const { arrived, calls } = createSubject(["late"]);
    await expect(calls[verb]("a")).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    expect(arrived).toEqual([]);
    await expect(calls[verb]("b")).resolves.toBe("b");
    expect(arrived).toEqual([`${verb} b`, `${verb} a`]);
    await calls[verb]("c");
    expect(arrived).toEqual([`${verb} b`, `${verb} a`, `${verb} c`]);
  });

  it("S5-005 delivers a call twice: it is answered, and arrives again after the next one", async () => {
    const { arrived, calls } = createSubject(["twice"]);
    await expect(calls[verb]("a")).resolves.toBe("a");
    expect(arrived).toEqual([`${verb} a`]);
    await calls[verb]("b");
    expect(arrived).toEqual([`${verb} a`, `${verb} b`, `${verb} a`]);
  });

  it("S5-005 lets what is on its way arrive although its process is dead", async () => {
    const { arrived, calls, kill, deliverHeld } = createSubject(["late", "late"]);
    await expect(calls[verb]("a")).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    await expect(calls[verb]("b")).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    kill();
    void calls[verb]("c");
    await deliverHeld();
    expect(arrived).toEqual([`${verb} a`, `${verb} b`]);
  });
});
