/** `ESCAPEMENT_RUNS=all` plays each command at each moment of each commit, on every store; else some of them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PLAY_STORES, type PlayStores } from "./play-stores.ts";
import { COMMANDS, MOMENTS, steer, type Steering } from "./steer.ts";
import { STEERED_PROGRAMS } from "./steered-programs.ts";

const isLong = process.env["ESCAPEMENT_RUNS"] !== undefined;

/** One in so many is played; no multiple of anything, so that each command meets each moment. */
const everyOn = (name: string): number => {
  if (isLong) return 1;
  return name === "memory" ? 13 : 67;
};

const COMMAND_NAMES = Object.keys(COMMANDS) as readonly Steering["command"][];

const allOf = (commits: number): readonly Steering[] =>
  Array.from({ length: commits }, (_, index) => index + 1).flatMap((at) =>
    COMMAND_NAMES.flatMap((command) => MOMENTS.map((moment) => ({ at, command, moment }))),
  );

describe.each([...PLAY_STORES])(
  "programs that are steered on $name",
  ({ name, isAvailable, start }) => {
    let stores: PlayStores | undefined;
    beforeAll(async () => {
      if (isAvailable) stores = await start();
    });
    afterAll(() => stores?.remove());

    it.skipIf(!isAvailable).each(Object.entries(STEERED_PROGRAMS))(
      "S6-013 S6-020 S6-021 S6-022 %s: whatever comes at whichever commit, it ends as when nobody steers it, and leaves nothing open",
      async (_title, workflow) => {
        if (stores === undefined) throw new RangeError("the store was not opened");
        const { open } = stores;
        const calm = await steer(open, workflow, { command: "nothing", moment: "after", at: 0 });
        expect(calm).toMatchObject({ ends: [["complete", expect.anything()]], left: [null] });
        const all = allOf(calm.commits).filter((_, index) => index % everyOn(name) === 0);
        for (const steering of all) {
          const { ends, left } = await steer(open, workflow, steering);
          const says = JSON.stringify(steering);
          expect(left, says).toEqual([null]);
          expect(ends, says).toEqual(ends.map(() => calm.ends[0]));
        }
      },
      isLong ? 3_600_000 : 600_000,
    );
  },
);
