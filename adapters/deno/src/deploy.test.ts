import { expect, test } from "vitest";
import { deploy } from "./deploy.ts";

test("Deno Deploy: deno.json with the deploy section, secrets by name, and the tick route's URL", () => {
  const options = {
    target: "deno-deploy",
    app: "orders",
    org: "acme",
    migrateEntry: "migrate.ts",
    memoryLimitMb: 1024,
  } as const;
  expect(deploy(options)).toMatchInlineSnapshot(`
    {
      "commands": [
        "deno deploy env add DATABASE_URL "$DATABASE_URL" --secret --org acme --app orders",
        "deno deploy env add TICK_SIGNING_KEY "$TICK_SIGNING_KEY" --secret --org acme --app orders",
        "deno deploy --prod --org acme --app orders",
      ],
      "files": [
        {
          "path": "deno.json",
          "text": "{
      "unstable": [
        "cron"
      ],
      "tasks": {
        "start": "deno run --allow-net --allow-env --allow-read --allow-sys main.ts",
        "migrate": "deno run --allow-net --allow-env --allow-read --allow-sys migrate.ts"
      },
      "deploy": {
        "install": "deno install",
        "predeploy": "deno task migrate",
        "runtime": {
          "type": "dynamic",
          "entrypoint": "main.ts",
          "memoryLimit": 1024
        }
      }
    }
    ",
        },
      ],
      "tickUrl": "https://orders.acme.deno.net/api/workflows/_runner/tick",
    }
  `);
});

test("a machine: deno.json that asks for crons, and nothing of Deno Deploy", () => {
  expect(deploy({ target: "machine", entry: "src/main.ts" })).toMatchInlineSnapshot(`
    {
      "commands": [
        "deno install",
        "deno task start",
      ],
      "files": [
        {
          "path": "deno.json",
          "text": "{
      "unstable": [
        "cron"
      ],
      "tasks": {
        "start": "deno run --allow-net --allow-env --allow-read --allow-sys src/main.ts"
      }
    }
    ",
        },
      ],
      "tickUrl": null,
    }
  `);
});

const ON_DEPLOY = { target: "deno-deploy", app: "orders", org: "acme" } as const;

test.each([
  ["target", { target: "toString" as "machine" }],
  ["entry", { target: "machine", entry: "main.ts && curl" }],
  ["migrateEntry", { target: "machine", migrateEntry: "../migrate.ts;" }],
  ["app", { ...ON_DEPLOY, app: "Orders" }],
  ["app", { target: "deno-deploy", org: "acme" }],
  ["org", { ...ON_DEPLOY, org: "acme.com" }],
  ["memoryLimitMb", { ...ON_DEPLOY, memoryLimitMb: 8192 }],
  ["memoryLimitMb", { ...ON_DEPLOY, memoryLimitMb: Number.NaN }],
  ["secretNames", { ...ON_DEPLOY, secretNames: ["DENO_TOKEN"] }],
  ["secretNames", { ...ON_DEPLOY, secretNames: ["KEY; rm"] }],
] as const)("the option %s is refused by name when it cannot be used: %j", (option, options) => {
  expect(() => deploy(options)).toThrow(
    expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID", details: { option } }),
  );
});

test("what deno.json says already is kept: imports, tasks, unstable features", () => {
  const config = {
    imports: { orders: "./orders.ts" },
    tasks: { lint: "deno lint" },
    unstable: ["kv"],
  };
  const [file] = deploy({ target: "machine", config }).files;
  const written = JSON.parse(file?.text ?? "") as object;
  expect(written).toMatchObject({ ...config, unstable: ["kv", "cron"] });
  const again = deploy({ target: "machine", config: written });
  expect(again.files).toEqual([file]);
});
