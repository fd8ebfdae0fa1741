import { IDLE_TICK } from "./drive.ts";
import { expect, test, vi } from "vitest";
import { createHarness } from "../testing/harness.ts";
import { createWakeNote, noteTicks, type NoteStore } from "./wake-note.ts";

/** One text in a store with compare-and-set. */
function openText(): NoteStore & { readonly writes: string[] } {
  const writes: string[] = [];
  return {
    writes,
    read: async () => writes.at(-1) ?? null,
    write: async (text) => String(writes.push(text)),
    replace: async (text, written) => {
      if (written === String(writes.length)) writes.push(text);
    },
  };
}

test("what is made due while a tick claims keeps the note open, and so does a tick that fails", async () => {
  const note = createWakeNote(openText());
  const harness = createHarness({ workflows: {} });
  const ticks = noteTicks(harness, note);
  await ticks.tick();
  expect(await note.isQuiet()).toBe(true);
  const beside = noteTicks({ tick: async () => (await note.open(), harness.tick()) }, note);
  await beside.tick();
  expect(await note.isQuiet()).toBe(false);
  await ticks.tick();
  const failing = noteTicks({ tick: () => Promise.reject(new Error("away")) }, note);
  await expect(failing.tick()).rejects.toThrow("away");
  expect(await note.isQuiet()).toBe(false);
});

test("a tick that leaves work due leaves the note open", async () => {
  const note = createWakeNote(openText());
  const harness = createHarness({ workflows: {} });
  const tick = async () => ({ ...(await harness.tick()), moreDue: true, quietMs: 0 });
  await noteTicks({ tick }, note).tick();
  expect(await note.isQuiet()).toBe(false);
});

test("a write that fails leaves no note that says it is quiet: what could not be opened before a tick is opened after it", async () => {
  const text = openText();
  let failures = 0;
  const write: NoteStore["write"] = async (line) => {
    failures -= 1;
    if (failures >= 0) throw new Error("away");
    return text.write(line);
  };
  const note = createWakeNote({ ...text, write }, { logger: { log: () => undefined } });
  const ticks = noteTicks({ tick: async () => IDLE_TICK }, note);
  await ticks.tick();
  expect(await note.isQuiet()).toBe(true);
  failures = 2;
  await note.open();
  await ticks.tick();
  expect(await note.isQuiet()).toBe(false);
});

test("a store that does not answer holds nothing up for longer than two seconds before a tick, and as long after it", async () => {
  vi.useFakeTimers();
  const never = () => new Promise<never>(() => {});
  const logged: string[] = [];
  const logger = { log: (_level: string, event: string) => void logged.push(event) };
  const note = createWakeNote({ read: never, write: never, replace: never }, { logger });
  const tick = async () => ({ ...IDLE_TICK, processed: 1 });
  const ticked = noteTicks({ tick }, note).tick();
  const looked = note.isQuiet();
  await vi.advanceTimersByTimeAsync(4000);
  expect(await ticked).toMatchObject({ processed: 1 });
  expect(await looked).toBe(false);
  expect(logged).toEqual(Array.from({ length: 3 }, () => "wake.note_failed"));
  vi.useRealTimers();
});
