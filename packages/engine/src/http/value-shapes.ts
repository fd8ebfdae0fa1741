/** Basic shapes: whole numbers, lists, durations, and names separated by commas. */
import {
  array,
  check,
  metadata,
  number,
  picklist,
  pipe,
  rawTransform,
  safeParse,
  string,
  transform,
  union,
  unknown,
  type GenericSchema,
} from "valibot";
import { MAX_ISSUES } from "./issues.ts";
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { WorkflowDuration } from "../core/duration.ts";

/** A schema whose input is not known yet and whose output is `Output`. */
export type Shape<Output> = GenericSchema<unknown, Output>;

/** `true` or `false` in a query string. */
export const flag: Shape<boolean> = pipe(
  picklist(["true", "false"]),
  transform((text) => text === "true"),
);

/** Epoch milliseconds in a query string. */
export const instant: Shape<number> = integerText(0, 8_640_000_000_000_000);

/** Milliseconds or a duration string, parsed where it is used. */
export const duration: Shape<WorkflowDuration> = pipe(
  union([number(), string()]),
  transform((given) => given as WorkflowDuration),
);

/** A list whose members are checked one after another, until a few wrong ones are found. Its metadata is for references. */
export function listOf<Member>(member: Shape<Member>): Shape<readonly Member[]> {
  return pipe(
    array(unknown()),
    metadata({ member }),
    rawTransform(({ dataset, addIssue, NEVER }): readonly Member[] => {
      const members: Member[] = [];
      let wrongCount = 0;
      for (const [key, value] of dataset.value.entries()) {
        const result = safeParse(member, value, { abortEarly: true });
        if (result.success) members.push(result.output);
        for (const { path = [], expected, message, received, input } of result.issues ?? []) {
          const place = {
            type: "array",
            origin: "value",
            input: dataset.value,
            key,
            value,
          } as const;
          addIssue({
            expected: expected ?? message,
            received,
            message,
            input,
            path: [place, ...path],
          });
          wrongCount += 1;
        }
        if (wrongCount >= MAX_ISSUES) break;
      }
      return wrongCount === 0 ? members : NEVER;
    }),
  );
}

/** A whole number in JSON. The check's message is also the expected type in error details and in the reference. */
export function integer(minimum: number): Shape<number> {
  const isWhole = (value: number): boolean => Number.isSafeInteger(value) && value >= minimum;
  return pipe(number(), check(isWhole, `an integer of at least ${minimum}`));
}

/** `workflow/id`; an id contains no slash. Without a slash, the workflow name is empty, and refused later. */
export function toParent(text: string): InstanceRef {
  const at = text.lastIndexOf("/");
  return { workflowName: text.slice(0, Math.max(0, at)), instanceId: text.slice(at + 1) };
}

/** Names, separated by commas. */
export function toList(text: string): string[] {
  return text.split(",");
}

/** A whole number in a query string: decimal digits only, so neither `1e3`, `0x10` nor ` 1`. */
export function integerText(
  minimum: number,
  maximum: number = Number.MAX_SAFE_INTEGER,
): Shape<number> {
  const words =
    maximum === Number.MAX_SAFE_INTEGER
      ? `an integer of at least ${minimum}`
      : `an integer from ${minimum} to ${maximum}`;
  const isWhole = (text: string): boolean =>
    /^\d{1,16}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum;
  return pipe(string(), check(isWhole, words), transform(Number));
}
