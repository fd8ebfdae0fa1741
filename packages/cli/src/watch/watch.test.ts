import { expect, test } from "vitest";
import { RefusedError } from "../errors.ts";
import { toDrawing } from "./screen.ts";
import { type Look, watch, type WatchOptions } from "./watch.ts";

const away = new RefusedError("NO_ANSWER", "nobody is there.");

/** Watches scripted looks, on a clock that only waits move. */
async function play(script: readonly (Look | RefusedError)[], seconds = 2) {
  const seen: unknown[] = [];
  const waits: number[] = [];
  const stop = new AbortController();
  const rest = [...script];
  const options: WatchOptions = {
    seconds,
    signal: stop.signal,
    show: ({ answer }) => seen.push(answer),
    tell: ({ code }) => seen.push(code),
    wait: (milliseconds) => {
      waits.push(milliseconds);
      if (rest.length === 0) stop.abort();
      return Promise.resolve();
    },
  };
  const look = (): Promise<Look> => {
    const next = rest.shift() ?? away;
    return next instanceof RefusedError ? Promise.reject(next) : Promise.resolve(next);
  };
  const ended = await watch(look, options).then(
    () => "done",
    ({ code }: RefusedError) => code,
  );
  return { seen, waits, ended };
}

const found = (answer: number, hasEnded = false): Look => ({ answer, text: "", hasEnded });

test("a watch looks every so often, and ends with what it looks at", async () => {
  expect(await play([found(1), found(2), found(3, true), found(4)])).toEqual({
    seen: [1, 2, 3],
    waits: [2000, 2000],
    ended: "done",
  });
  expect((await play([found(1), found(2)])).ended).toBe("done");
});

test("looks that fail come ever later, up to a minute, and as often as asked once one succeeds", async () => {
  const outage = Array.from({ length: 6 }, () => away);
  const { waits, seen } = await play([found(1), ...outage, found(2), found(3, true)]);
  expect(waits).toEqual([2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 2000]);
  expect(seen).toEqual([1, ...outage.map(() => "NO_ANSWER"), 2, 3]);
  expect((await play([found(1), away], 600)).waits).toEqual([600_000, 600_000]);
});

test("a first look that fails, and a refusal that does not heal, end a watch with their code", async () => {
  expect(await play([away])).toEqual({ seen: [], waits: [], ended: "NO_ANSWER" });
  const deleted = new RefusedError("INSTANCE_NOT_FOUND", "it is gone");
  expect(await play([found(1), deleted])).toMatchObject({
    seen: [1],
    ended: "INSTANCE_NOT_FOUND",
  });
});

test("a watch ends at once, though a look gets no answer", async () => {
  const stop = new AbortController();
  const watching = watch(() => new Promise(() => undefined), {
    seconds: 1,
    signal: stop.signal,
    show: () => expect.unreachable(),
    tell: () => expect.unreachable(),
    wait: () => expect.unreachable(),
  });
  stop.abort();
  expect(await watching).toBe(undefined);
});

test("what is longer than the terminal is cut, and says so", () => {
  expect(toDrawing("a\nb\nc\n", 2, 5)).toBe("a\nb\nc\nEvery 2 s, until Ctrl-C.\n");
  expect(toDrawing("a\nb\nc\n", 5, 4)).toBe("a\nb\n… 1 more lines. Every 5 s, until Ctrl-C.\n");
});
