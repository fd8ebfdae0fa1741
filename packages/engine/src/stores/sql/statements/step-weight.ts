/** What steps weigh, of which a call reads so much and no more. */
import type { Dialect } from "@escapement/db/client";
import { ITEM_BYTES } from "../../../ports/run-pages.ts";
import { sameRun, STEP, UNIQUE_STEP } from "./tables.ts";

/** What a step `s` weighs. */
export const stepBytes = (dialect: Dialect): string =>
  `${ITEM_BYTES} + coalesce(${dialect.byteLength(`s."result"`)}, 0)`;

/** What all steps of a run weigh, added up run by run: to join the steps of many runs costs half as much again. */
export const historyBytes = (dialect: Dialect, run: string): string =>
  `(select coalesce(sum(${stepBytes(dialect)}), 0) from ${STEP} as s${dialect.byIndex(UNIQUE_STEP)} where ${sameRun("s", run)})`;
