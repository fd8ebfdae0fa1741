/** The order in which a session continues that needs code which is not loaded yet. */
import { expect, it } from "vitest";
import { late } from "../core/late.ts";
import { NeededCode } from "./needed-code.ts";

interface Loading {
  readonly arrive: () => void;
  readonly fail: (error: unknown) => void;
  readonly load: () => Promise<object>;
}

function createLoading(): Loading {
  let [arrive, fail] = [(): void => {}, (_error: unknown): void => {}];
  const loaded = new Promise<object>((resolve, reject) => {
    arrive = () => resolve({});
    fail = reject;
  });
  return { arrive, fail, load: () => loaded };
}

function createSession(): { readonly code: NeededCode; readonly told: string[] } {
  const told: string[] = [];
  const code = new NeededCode({
    authorActed: () => told.push(`ready: ${code.isReady}`),
    missing: (error) => told.push(`missing: ${String(error)}`),
    broke: (error) => told.push(`broke: ${String(error)}`),
  });
  return { code, told };
}

const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

it("what is there is gone on with at once, without a turn", () => {
  const { code, told } = createSession();
  code.with(
    () => ({}),
    () => void told.push("with"),
  );
  code.inTurn(() => void told.push("in turn"));
  expect(told).toEqual(["with", "in turn"]);
});

it("goes on in the order in which it was asked for, whatever is there first", async () => {
  const { code, told } = createSession();
  const [slow, quick] = [createLoading(), createLoading()];
  code.with(late(slow.load), () => void told.push("slow"));
  code.inTurn(() => void told.push("plain"));
  code.with(late(quick.load), () => void told.push("quick"));
  code.with(
    () => ({}),
    () => void told.push("there"),
  );
  quick.arrive();
  await settled();
  expect({ told, isReady: code.isReady }).toEqual({ told: [], isReady: false });
  slow.arrive();
  await settled();
  expect(told.filter((one) => !one.startsWith("ready"))).toEqual([
    "slow",
    "plain",
    "quick",
    "there",
  ]);
  expect({ last: told.at(-1), isReady: code.isReady }).toEqual({
    last: "ready: true",
    isReady: true,
  });
});

it("code that is missing before what was asked for first is there is told in its turn, and what comes behind it goes on", async () => {
  const { code, told } = createSession();
  const [slow, gone] = [createLoading(), createLoading()];
  code.with(late(slow.load), () => void told.push("slow"));
  code.with(
    late(gone.load),
    () => void told.push("gone"),
    () => void told.push("or else"),
  );
  code.inTurn(() => void told.push("plain"));
  gone.fail(new RangeError("no such file"));
  await settled();
  slow.arrive();
  await settled();
  expect(told.filter((one) => !one.startsWith("ready"))).toEqual([
    "slow",
    "or else",
    "missing: RangeError: no such file",
    "plain",
  ]);
});

it("what throws breaks the session off, and holds nothing up", async () => {
  const { code, told } = createSession();
  const loading = createLoading();
  code.with(late(loading.load), () => {
    throw new RangeError("a fault");
  });
  loading.arrive();
  await settled();
  expect(told).toEqual(["broke: RangeError: a fault", "ready: true"]);
});

it("code that cannot be loaded at first is asked for twice, and each time again that it is needed", async () => {
  let left = 3;
  const code = late(async () => {
    left -= 1;
    if (left > 0) throw new RangeError("too many open files");
    return "code";
  });
  await expect(code()).rejects.toThrow("too many open files");
  expect(await code()).toBe("code");
  expect(code()).toBe("code");
});
