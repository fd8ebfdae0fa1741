import { expect, test } from "vitest";
import { deploy, type DeployOptions } from "./deploy.ts";

test("S9-018 Pro with the queue: a wake function that it calls, the tick route each hour, and one function for all requests", () => {
  expect(deploy({ plan: "pro", wakeEntry: "api/wake.ts" })).toMatchInlineSnapshot(`
    {
      "commands": [
        "vercel env add DATABASE_URL production",
        "vercel env add CRON_SECRET production",
        "vercel env add TICK_SIGNING_KEY production",
        "vercel deploy --prod",
      ],
      "files": [
        {
          "path": "vercel.json",
          "text": "{
      "$schema": "https://openapi.vercel.sh/vercel.json",
      "functions": {
        "api/workflows.ts": {
          "maxDuration": 300
        },
        "api/wake.ts": {
          "maxDuration": 300,
          "experimentalTriggers": [
            {
              "type": "queue/v2beta",
              "topic": "escapement",
              "retryAfterSeconds": 9,
              "maxConcurrency": 10
            }
          ]
        }
      },
      "rewrites": [
        {
          "source": "/api/workflows/(.*)",
          "destination": "/api/workflows"
        }
      ],
      "crons": [
        {
          "path": "/api/workflows/_runner/tick",
          "schedule": "0 * * * *"
        }
      ]
    }
    ",
        },
      ],
      "warnings": [],
    }
  `);
});

test("Hobby: the tick route each day, and a warning that nothing else ends a long sleep", () => {
  const { files, warnings } = deploy({ plan: "hobby", maxDurationSeconds: 60 });
  expect(JSON.parse(files[0]?.text ?? "")).toMatchObject({
    functions: { "api/workflows.ts": { maxDuration: 60 } },
    crons: [{ path: "/api/workflows/_runner/tick", schedule: "0 0 * * *" }],
  });
  expect(warnings).toEqual([
    expect.stringContaining("Only a daily cron recovers lost wakes"),
    "Without wakeEntry a sleep that outlasts its request may end 25 hours late.",
  ]);
});

test.each([
  { plan: "hobby", wakeEntry: "api/wake.ts" },
  { plan: "pro", wakeEntry: "api/wake.ts", schedule: "0 3 * * *" },
] as const)("what leaves only a daily net says so, with the queue too: %j", (options) => {
  expect(deploy(options).warnings).toEqual([
    expect.stringContaining("Only a daily cron recovers lost wakes"),
  ]);
});

test("without the queue the cron is what ends a sleep: each minute", () => {
  const { files, warnings } = deploy({ plan: "pro" });
  expect(JSON.parse(files[0]?.text ?? "")).toMatchObject({ crons: [{ schedule: "* * * * *" }] });
  expect(warnings).toEqual([]);
});

test("an Edge function is given no duration, its mount route and entry are where they are said to be", () => {
  const options = {
    plan: "enterprise",
    entry: "api/orders/index.js",
    runtime: "edge",
    mountRoute: "/flows",
    schedule: "*/5 * * * *",
    secretNames: [],
  } as const;
  const { commands, files } = deploy(options);
  expect(commands).toEqual(["vercel deploy --prod"]);
  expect(JSON.parse(files[0]?.text ?? "")).toEqual({
    $schema: "https://openapi.vercel.sh/vercel.json",
    rewrites: [{ source: "/flows/(.*)", destination: "/api/orders" }],
    crons: [{ path: "/flows/_runner/tick", schedule: "*/5 * * * *" }],
  });
});

test.each([
  ["src/app", "/api/workflows", {}],
  ["app/(internal)", "/shop/api/workflows", { mountRoute: "/shop/api/workflows" }],
])(
  "routes of Next.js below %s are the functions: nothing is rewritten, and the cron calls %s",
  (folder, mountRoute, options) => {
    const entry = `${folder}/api/workflows/[...path]/route.ts`;
    const wakeEntry = `${folder}/api/wake/route.ts`;
    const { files } = deploy({ plan: "pro", entry, wakeEntry, ...options });
    expect(JSON.parse(files[0]?.text ?? "")).toEqual({
      $schema: "https://openapi.vercel.sh/vercel.json",
      framework: "nextjs",
      functions: {
        [entry]: { maxDuration: 300 },
        [wakeEntry]: {
          maxDuration: 300,
          experimentalTriggers: [
            { type: "queue/v2beta", topic: "escapement", retryAfterSeconds: 9, maxConcurrency: 10 },
          ],
        },
      },
      crons: [{ path: `${mountRoute}/_runner/tick`, schedule: "0 * * * *" }],
    });
  },
);

const NEXT_ENTRY = "app/api/workflows/[...path]/route.ts";

const REFUSED: readonly (readonly [keyof DeployOptions, object])[] = [
  ["plan", { plan: "team" }],
  ["plan", { plan: "toString" }],
  ["plan", {}],
  // Six fields, with seconds, which Vercel accepts and ignores.
  ["schedule", { schedule: "*/10 * * * * *" }],
  ["schedule", { schedule: "every minute" }],
  ["schedule", { schedule: "0 9 * * MON" }],
  ["schedule", { schedule: "0 0 1 * 1" }],
  ["schedule", { plan: "hobby", schedule: "0 * * * *" }],
  ["schedule", { plan: "hobby", schedule: "0 0,12 * * *" }],
  ["mountRoute", { mountRoute: "api/workflows" }],
  ["mountRoute", { mountRoute: "/api/:all*" }],
  ["entry", { entry: "src/main.ts" }],
  ["entry", { entry: "api/*.ts" }],
  ["entry", { entry: "api/../main.ts" }],
  ["entry", { entry: "api/workflows.py" }],
  ["entry", { entry: `api/${"x".repeat(128)}.ts` }],
  // Not a route, not for all paths below it, or none that Next.js serves.
  ["entry", { entry: "app/api/workflows/[...path]/page.ts" }],
  ["entry", { entry: "app/api/workflows/route.ts" }],
  ["entry", { entry: "app/api/[name]/[...path]/route.ts" }],
  ["entry", { entry: "app/_api/[...path]/route.ts" }],
  ["entry", { entry: "lib/app/api/[...path]/route.ts" }],
  ["mountRoute", { entry: NEXT_ENTRY, mountRoute: "/workflows" }],
  ["wakeEntry", { entry: NEXT_ENTRY, wakeEntry: "api/wake.ts" }],
  ["wakeEntry", { entry: NEXT_ENTRY, wakeEntry: NEXT_ENTRY }],
  ["wakeEntry", { wakeEntry: "app/api/wake/route.ts" }],
  ["wakeEntry", { wakeEntry: "api/workflows.ts" }],
  ["wakeEntry", { wakeEntry: "wake.ts" }],
  ["topic", { topic: "my topic" }],
  ["maxConcurrency", { maxConcurrency: 0 }],
  ["maxConcurrency", { maxConcurrency: 1.5 }],
  ["runtime", { runtime: "python" }],
  ["maxDurationSeconds", { maxDurationSeconds: 0 }],
  ["maxDurationSeconds", { maxDurationSeconds: 1.5 }],
  ["maxDurationSeconds", { maxDurationSeconds: 1801 }],
  ["maxDurationSeconds", { plan: "hobby", maxDurationSeconds: 301 }],
  ["secretNames", { secretNames: ["VERCEL_URL"] }],
  ["secretNames", { secretNames: ["KEY; rm"] }],
];

test.each(REFUSED)(
  "the option %s is refused by name when it cannot be used: %j",
  (option, options) => {
    const asked = { ...(option === "plan" ? {} : { plan: "pro" }), ...options };
    expect(() => deploy(asked as DeployOptions)).toThrow(
      expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID", details: { option } }),
    );
  },
);

test.each(["cronPath", "memory"])("%s, which Vercel would not miss, is no option", (name) => {
  expect(() => deploy({ plan: "pro", [name]: "x" })).toThrow(
    expect.objectContaining({ code: "UNKNOWN_OPTION", details: expect.objectContaining({ name }) }),
  );
});
