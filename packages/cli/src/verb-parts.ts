/** What several verbs have. */
import { type Command, Option } from "commander";
import { toCount, toInstant, toKey, toStatuses } from "./option-values.ts";

/** The option for an idempotency key, so that a call can be repeated. */
export const keyOption = (): Option =>
  new Option("--key <key>", "names this call: sent again with it, it changes nothing").argParser(
    toKey,
  );

/** What a call demands of the instance. */
export interface ConditionOptions {
  readonly ifRun?: number;
  readonly ifStatus?: readonly string[];
}

/** Adds the options that say which run, and which status, a call is for. */
export const addConditions = (command: Command): Command =>
  command
    .option("--if-run <number>", "only if this is its present run", toCount)
    .option("--if-status <status>", "only in this status; several by commas", toStatuses);

/** These options as a query. */
export const toConditions = ({
  ifRun,
  ifStatus,
}: ConditionOptions): Readonly<Record<"ifRunNumber" | "ifStatus", string | undefined>> => ({
  ifRunNumber: ifRun?.toString(),
  ifStatus: ifStatus?.join(),
});

/** The end of a verb's help. @param lines without the program's name */
export const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ escapement ${line}\n`).join("")}`;

/** The path of a workflow's instances. */
export const toPath = (workflow: string, ...rest: readonly string[]): readonly string[] => [
  "workflows",
  workflow,
  "instances",
  ...rest,
];

/** Options of verbs that list. */
export interface LookOptions {
  readonly workflow?: readonly string[];
  readonly limit?: number;
  readonly cursor?: string;
  readonly watch?: number | true;
}

/** Options of verbs that find instances. */
export interface FilterOptions {
  readonly workflow?: readonly string[];
  readonly status?: readonly string[];
  readonly tag?: string;
  readonly idPrefix?: string;
  readonly errorCode?: string;
  readonly stuck?: true;
  readonly createdFrom?: number;
  readonly createdBefore?: number;
  readonly updatedFrom?: number;
  readonly updatedBefore?: number;
}

/** Adds the options that find instances by their times. */
export const addTimes = (command: Command): Command =>
  command
    .option(
      "--created-from <instant>",
      "created then or later: 2026-11-27T09:00Z, or milliseconds since 1970; so are the others",
      toInstant,
    )
    .option("--created-before <instant>", "created earlier", toInstant)
    .option("--updated-from <instant>", "changed last then or later", toInstant)
    .option("--updated-before <instant>", "changed last earlier", toInstant);
