import { expect, test } from "vitest";
import { isDailyCron, isPlainCron } from "./cron-expression.ts";

test.each([
  "* * * * *",
  "*/5 * * * *",
  "0 0 * * *",
  "0,30 9-17/2 * 1,12 1-5",
  "59 23 31 12 *",
  "0 0 * * 0",
])("%s is plain", (expression) => {
  expect(isPlainCron(expression)).toBe(true);
});

test.each([
  "",
  "* * * *",
  "* * * * * *",
  "0 */1 * * * *",
  "60 * * * *",
  "* 24 * * *",
  "* * 0 * *",
  "* * * 13 *",
  "* * * * 7",
  "0 9 * * MON",
  "0 9 * JAN *",
  "@daily",
  "0 0 1 * 1",
  "5-1 * * * *",
  "*/0 * * * *",
  "*/90 * * * *",
  "1,, * * * *",
  "1- * * * *",
  "-1 * * * *",
  "0  0 * * *",
  " 0 0 * * *",
  "0.5 * * * *",
  "rate(1 minute)",
])("%j is not", (expression) => {
  expect(isPlainCron(expression)).toBe(false);
});

test("once a day is one minute of one hour, whatever the days", () => {
  const daily = ["0 0 * * *", "5 9 * * 1", "0 0 1 * *"];
  expect(daily.map(isDailyCron)).toEqual([true, true, true]);
  const oftener = [
    "0 * * * *",
    "0 0,12 * * *",
    "0,1 0 * * *",
    "*/5 0 * * *",
    "* * * * *",
    "0 9-9 * * *",
  ];
  expect(oftener.map(isDailyCron)).toEqual([false, false, false, false, false, false]);
});
