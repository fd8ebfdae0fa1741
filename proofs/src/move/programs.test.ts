/** Programs of every kind, moved at each of their commits: each ends as if it had stayed. */
import { ofToday, today } from "@escapement-internal/test-servers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  catchUp,
  drive,
  type End,
  endOf,
  type Instance,
  move,
  openHarness,
  pausingAt,
} from "./move.ts";
import { begin, PROGRAMS } from "./programs.ts";
import { isServer, open, openMemory, PAIRS, type Timed } from "./stores.ts";

/** As it ends where it stays, and how many commits it takes. */
async function stay(name: string): Promise<{ readonly end: End; readonly commits: number }> {
  begin();
  const instance = { name, id: "stays" };
  const counting = pausingAt(0, instance);
  const harness = openHarness(await openMemory(), counting.wrap);
  await harness.engine.createInstance(name, { id: instance.id });
  await drive(harness, instance);
  return { end: await endOf(harness, instance), commits: counting.count() };
}

/** Every commit; of those that are made over a network, a few. */
function commitsToTry(names: readonly string[], count: number): readonly number[] {
  const all = Array.from({ length: count }, (_, index) => index + 1);
  const stride = names.some(isServer) ? Math.ceil(count / 3) : 1;
  return all.filter((at) => (at - 1) % stride === 0);
}

/**
 * A server and a file differ in nothing that a program would notice: each server is met from memory, from there, and with the other
 * one. A program meets one server a day, and every second program the other one.
 */
function pairsOf(name: string): typeof PAIRS {
  const day = today() + PROGRAMS.indexOf(name);
  const servers = ofToday(["Postgres", "sqld"], 1, day);
  const isOfToday = (store: string): boolean => servers.includes(store);
  return PAIRS.filter(([from, to]) => {
    if (isServer(from) && isServer(to)) return from !== to && isOfToday(to);
    if (isServer(from)) return to === "memory" && isOfToday(from);
    return !isServer(to) || (from === "memory" && isOfToday(to));
  });
}

interface MovedAt {
  readonly end: End;
  /** It was under way when it was moved. */
  readonly wasPaused: boolean;
}

async function moveAt(
  { from, to, at }: Readonly<Record<"from" | "to", Timed>> & { readonly at: number },
  instance: Instance,
): Promise<MovedAt> {
  begin();
  const { name, id } = instance;
  const source = openHarness(from, pausingAt(at, instance).wrap);
  await source.engine.createInstance(name, { id });
  await drive(source, instance);
  const wasPaused = (await source.status(name, id)).status === "paused";
  const target = openHarness(to);
  await catchUp(from, target);
  await move(source, target, instance);
  await drive(target, instance);
  return { end: await endOf(target, instance), wasPaused };
}

describe.each(PROGRAMS)("%s", (name) => {
  let stayed: Awaited<ReturnType<typeof stay>>;
  beforeAll(async () => {
    stayed = await stay(name);
  });

  test("S8-006 where it stays, it ends as it should", () => {
    expect(stayed.end.status).toBe(name === "saga" ? "errored" : "complete");
  });

  test.each(pairsOf(name))(
    "S8-006 moved from %s to %s at any of its commits, it ends as where it stays, and no body runs twice",
    async (fromName, toName) => {
      const [from, to] = [await open(fromName), await open(toName)];
      const commits = commitsToTry([fromName, toName], stayed.commits);
      let pausedCount = 0;
      try {
        for (const at of commits) {
          const { end, wasPaused } = await moveAt({ from, to, at }, { name, id: `at-${at}` });
          expect(end, `moved at commit ${at}`).toEqual(stayed.end);
          pausedCount += Number(wasPaused);
        }
      } finally {
        await from.close();
        await to.close();
      }
      // But for a last commit or two, which end it.
      expect(pausedCount).toBeGreaterThanOrEqual(commits.length / 2);
    },
  );
});

afterAll(() => begin());
