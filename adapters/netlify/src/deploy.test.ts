import { expect, test } from "vitest";
import { deploy, type DeployOptions } from "./deploy.ts";

test("without options: the usual folders, a schedule each minute, secrets by name", () => {
  expect(deploy()).toMatchInlineSnapshot(`
    {
      "commands": [
        "netlify env:set DATABASE_URL "$DATABASE_URL" --context production --secret",
        "netlify env:set TICK_SIGNING_KEY "$TICK_SIGNING_KEY" --context production --secret",
        "netlify deploy --prod",
      ],
      "files": [
        {
          "path": "netlify.toml",
          "text": "[build]
    publish = "public"

    [functions]
    directory = "netlify/functions"

    [functions."workflows-cron"]
    schedule = "* * * * *"
    ",
        },
      ],
    }
  `);
});

test("with all options: a build command that is quoted, other names and folders", () => {
  const options: DeployOptions = {
    name: "orders",
    functionsDirectory: "src/functions",
    publishDirectory: "dist/site",
    buildCommand: `node migrate.mjs "a b" \\ c`,
    schedule: "*/5 8-18 * * 1,2",
    secretNames: ["DB"],
  };
  const { files, commands } = deploy(options);
  expect(files[0]?.text).toMatchInlineSnapshot(`
    "[build]
    command = "node migrate.mjs \\"a b\\" \\\\ c"
    publish = "dist/site"

    [functions]
    directory = "src/functions"

    [functions."orders-cron"]
    schedule = "*/5 8-18 * * 1,2"
    "
  `);
  expect(commands).toEqual([
    'netlify env:set DB "$DB" --context production --secret',
    "netlify deploy --prod",
  ]);
});

const accepted = ["* * * * *", "0 0 * 1 0", "*/15 0-5/2 * 1,6,12 6", "59 23 31 12 *"];
test.each(accepted)("the schedule %s is taken", (schedule) => {
  expect(deploy({ schedule }).files[0]?.text).toContain(`schedule = "${schedule}"`);
});

const refusedSchedules = [
  "*/30 * * * * *",
  "* * * *",
  "@reboot",
  "@annually",
  "@every 10s",
  "60 * * * *",
  "* 24 * * *",
  "* * 0 * *",
  "* * * 13 *",
  "* * * * 7",
  "0 0 1 1 0",
  "*/0 * * * *",
  "5-1 * * * *",
  "*  * * * *",
  "every minute",
  '*"\n x * * *',
  "",
];
test.each(refusedSchedules)(
  "the schedule %j is refused: finer than a minute, not read alike everywhere, or none at all",
  (schedule) => {
    const refusal = { code: "DEPLOY_OPTIONS_INVALID", details: { option: "schedule" } };
    expect(() => deploy({ schedule })).toThrow(expect.objectContaining(refusal));
  },
);

test.each([
  ["name", { name: "" }],
  ["name", { name: "orders-background" }],
  ["name", { name: "a/b" }],
  ["functionsDirectory", { functionsDirectory: "../functions" }],
  ["functionsDirectory", { functionsDirectory: "public/functions" }],
  ["functionsDirectory", { functionsDirectory: "public" }],
  ["publishDirectory", { publishDirectory: "/srv" }],
  ["publishDirectory", { publishDirectory: "." }],
  ["buildCommand", { buildCommand: "a\nb" }],
  ["secretNames", { secretNames: ["A B"] }],
] as readonly [string, DeployOptions][])(
  "the option %s of %j is refused by name",
  (option, bad) => {
    const refusal = { code: "DEPLOY_OPTIONS_INVALID", details: { option } };
    expect(() => deploy(bad)).toThrow(expect.objectContaining(refusal));
  },
);

test("an option that nothing reads is refused, with the one that was most likely meant", () => {
  expect(() => deploy({ scheduel: "* * * * *" } as DeployOptions)).toThrow(
    '"scheduel" is not an option of deploy; did you mean "schedule"?',
  );
});
