import { expect, test } from "vitest";
import type { Logger } from "../ports/logger.ts";
import { createTroubleLog } from "./trouble-log.ts";

test("S5-031 a kind of trouble is told at once, then once a minute with the number of repeats", () => {
  const lines: (readonly [string, unknown])[] = [];
  const logger: Logger = {
    log: (_level, event, { repeated }) => void lines.push([event, repeated]),
  };
  let elapsedMs = 0;
  const log = createTroubleLog(logger, { elapsedMs: () => elapsedMs });
  for (let index = 0; index < 130; index += 1) {
    log("warn", "commit.retried", {});
    if (index === 5) log("warn", "claim.failed", {});
    elapsedMs += 1000;
  }
  expect(lines).toEqual([
    ["commit.retried", undefined],
    ["claim.failed", undefined],
    ["commit.retried", 59],
    ["commit.retried", 59],
  ]);
});
