/** The size of steps, because a call reads a limited amount of them. */
import type { Dialect } from "@escapement/db/client";
import { ITEM_BYTES } from "../../../ports/run-pages.ts";
import { sameRun, STEP, UNIQUE_STEP } from "./tables.ts";

/** The bytes of a step `s`. */
export const stepBytes = (dialect: Dialect): string =>
  `${ITEM_BYTES} + coalesce(${dialect.byteLength(`s."result"`)}, 0)`;

/** The bytes of all steps of a run, summed up run by run. Joining the steps of many runs would cost half as much again. */
export const historyBytes = (dialect: Dialect, run: string): string =>
  `(select coalesce(sum(${stepBytes(dialect)}), 0) from ${STEP} as s${dialect.byIndex(UNIQUE_STEP)} where ${sameRun("s", run)})`;
