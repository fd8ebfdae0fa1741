import { expect, test } from "vitest";
import { deploy, type DeployOptions } from "./deploy.ts";

interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

function templateOf(options: DeployOptions) {
  const [file] = deploy(options).files;
  return JSON.parse(file?.text ?? "") as {
    readonly Parameters: Readonly<Record<string, { readonly Default?: unknown }>>;
    readonly Resources: Readonly<Record<string, Resource>>;
  };
}

test("only the tick function may call itself, and its messages stay hidden six times as long as it may run", () => {
  const { Resources: resources } = templateOf({ name: "orders", tickTimeoutSeconds: 120 });
  expect(resources["TickFunction"]?.Properties).toHaveProperty("RecursiveLoop", "Allow");
  expect(resources["ApiFunction"]?.Properties).not.toHaveProperty("RecursiveLoop");
  expect(resources["WakeQueue"]?.Properties).toMatchObject({ VisibilityTimeout: 720 });
});

test("variables go to both functions, and options into the parameters", () => {
  const environment = { DATABASE_URL: "{{resolve:secretsmanager:database}}" };
  const { Parameters: parameters, Resources: resources } = templateOf({
    name: "orders",
    apiAuth: "NONE",
    safetyMinutes: 15,
    environment,
  });
  for (const name of ["ApiFunction", "TickFunction"])
    expect(resources[name]?.Properties).toMatchObject({ Environment: { Variables: environment } });
  expect(parameters).toMatchObject({
    Name: { Default: "orders" },
    ApiAuth: { Default: "NONE" },
    SafetyMinutes: { Default: 15 },
  });
  expect(templateOf({ name: "other" }).Parameters["SafetyMinutes"]).toHaveProperty("Default", 5);
});

test.each([
  ["name", { name: "Orders; rm" }],
  ["name", {} as DeployOptions],
  ["handler", { name: "orders", handler: "index" }],
  ["runtime", { name: "orders", runtime: "nodejs20.x" as "nodejs22.x" }],
  ["tickTimeoutSeconds", { name: "orders", tickTimeoutSeconds: 901 }],
  ["apiTimeoutSeconds", { name: "orders", apiTimeoutSeconds: 3 }],
  ["memoryMb", { name: "orders", memoryMb: Number.NaN }],
  ["apiAuth", { name: "orders", apiAuth: "none" as "NONE" }],
  ["safetyMinutes", { name: "orders", safetyMinutes: 0.5 }],
  ["maxConcurrency", { name: "orders", maxConcurrency: 1 }],
  ["environment", { name: "orders", environment: { AWS_REGION: "x" } }],
  ["minutes", { name: "orders", minutes: 5 } as DeployOptions],
] as const)("the option %s is refused by name when it cannot be used", (option, options) => {
  expect(() => deploy(options)).toThrow(
    expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID", details: { option } }),
  );
});
