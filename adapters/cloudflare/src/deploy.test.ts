import { expect, test } from "vitest";
import { deploy } from "./index.ts";
import type { DeployOptions } from "./deploy.ts";

const OPTIONS: DeployOptions = { name: "refunds", className: "Refunds" };

test("a Worker, its class with SQLite storage, and a cron, as wrangler.jsonc", () => {
  const { files, commands } = deploy({ ...OPTIONS, secretNames: ["API_TOKEN"] });
  expect(files.map(({ path }) => path)).toEqual(["wrangler.jsonc"]);
  expect(files[0]?.text).toMatchInlineSnapshot(`
    "{
      "$schema": "node_modules/wrangler/config-schema.json",
      "name": "refunds",
      "main": "src/main.ts",
      "compatibility_date": "2026-04-01",
      "durable_objects": {
        "bindings": [
          {
            "name": "WORKFLOWS",
            "class_name": "Refunds"
          }
        ]
      },
      "migrations": [
        {
          "tag": "v1",
          "new_sqlite_classes": [
            "Refunds"
          ]
        }
      ],
      "triggers": {
        "crons": [
          "*/5 * * * *"
        ]
      },
      "observability": {
        "enabled": true
      }
    }
    "
  `);
  expect(commands).toEqual(["npx wrangler deploy", "npx wrangler secret put API_TOKEN"]);
});

test("D1, more time of the processor, flags, and another cron, where they are asked for", () => {
  const databaseId = "3f1c7e5e-0000-4000-8000-000000000000";
  const { files } = deploy({
    ...OPTIONS,
    binding: "REFUNDS",
    main: "worker.ts",
    safetyMinutes: 60,
    cpuMs: 300_000,
    compatibilityDate: "2026-10-01",
    compatibilityFlags: ["nodejs_compat"],
    d1: { databaseName: "refunds", databaseId },
  });
  expect(JSON.parse(files[0]?.text ?? "")).toMatchObject({
    main: "worker.ts",
    compatibility_date: "2026-10-01",
    compatibility_flags: ["nodejs_compat"],
    limits: { cpu_ms: 300_000 },
    durable_objects: { bindings: [{ name: "REFUNDS", class_name: "Refunds" }] },
    d1_databases: [{ binding: "DB", database_name: "refunds", database_id: databaseId }],
    triggers: { crons: ["0 * * * *"] },
  });
});

const D1 = { databaseName: "refunds", databaseId: "3f1c7e5e-0000-4000-8000-000000000000" };

test.each([
  ["name", { name: "" }],
  ["name", { name: "Refunds" }],
  ["name", { name: `r${"x".repeat(63)}` }],
  ["className", { className: "class name" }],
  ["binding", { binding: "1ST" }],
  ["main", { main: "../main.ts; rm" }],
  ["main", { main: "/main.ts" }],
  // Accepted by the platform, but uneven, because 7 does not divide the hour.
  ["safetyMinutes", { safetyMinutes: 7 }],
  ["safetyMinutes", { safetyMinutes: 0.5 }],
  ["safetyMinutes", { safetyMinutes: 120 }],
  ["cpuMs", { cpuMs: 5 }],
  ["cpuMs", { cpuMs: 300_001 }],
  ["cpuMs", { cpuMs: Number.NaN }],
  ["compatibilityDate", { compatibilityDate: "2026-02-30" }],
  ["compatibilityDate", { compatibilityDate: "yesterday" }],
  ["compatibilityFlags", { compatibilityFlags: ["--x"] }],
  ["d1.databaseName", { d1: { ...D1, databaseName: "" } }],
  ["d1.databaseId", { d1: { ...D1, databaseId: "refunds" } }],
  ["secretNames", { secretNames: ["API TOKEN"] }],
] as const)("%s is refused by code: %j", (option, wrong) => {
  expect(() => deploy({ ...OPTIONS, ...wrong })).toThrow(
    expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID", details: { option } }),
  );
});

test("a name that was left out, and an option that nothing reads, are refused with what was expected", () => {
  expect(() => deploy({ className: "Refunds" } as DeployOptions)).toThrow(
    'the option "name" is not usable; expected 1 to 63 lower-case letters, digits and hyphens',
  );
  expect(() => deploy({ ...OPTIONS, classNames: "Refunds" } as DeployOptions)).toThrow(
    '"classNames" is not an option of deploy; did you mean "className"?',
  );
});
