import { expect, test } from "vitest";
import { groupFailures } from "./group-failures.ts";
import type { Found } from "./shapes.ts";

type Instance = Found["instances"][number];

const failed = (workflowName: string, message: string, code: string | null = null): Instance =>
  ({
    workflowName,
    id: message,
    details: { status: "errored", error: { name: "Error", message, code } },
  }) as Instance;

test("S8-008 failures that differ in numbers and quoted texts alone are one kind, the commonest first", () => {
  const groups = groupFailures([
    failed("order", "no stock"),
    failed("order", 'card 17 of "ada" declined'),
    failed("order", 'card 18 of "bob" declined'),
    failed("order", "no stock", "E_STOCK"),
    failed("invoice", "no stock"),
    { ...failed("order", "x"), details: { status: "waiting" } } as Instance,
  ]);
  expect(groups.map(({ newest, count }) => [newest.workflowName, newest.id, count])).toEqual([
    ["order", 'card 17 of "ada" declined', 2],
    ["order", "no stock", 1],
    ["order", "no stock", 1],
    ["invoice", "no stock", 1],
  ]);
});
