import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { listRoutes } from "../packages/engine/src/http/routes.ts";
import { ROOT } from "./project-files.ts";

interface Operation {
  readonly operationId: string;
  readonly "x-policies": readonly string[];
}

const text = readFileSync(join(ROOT, "packages/engine/openapi.json"), "utf8");
const document = JSON.parse(text) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

test("the published document is OpenAPI 3.1, and each of its references leads somewhere", async () => {
  const validator = new Validator();
  expect(await validator.validate(text)).toMatchObject({ valid: true });
  expect(validator.version).toBe("3.1");
  const references = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/gu)].map(
    ([, name]) => name,
  );
  const { schemas } = (JSON.parse(text) as { components: { schemas: object } }).components;
  expect(Object.keys(schemas)).toEqual(expect.arrayContaining([...new Set(references)]));
  expect(text).not.toMatch(/#\/\$defs|valibot/u);
});

test("it has every route of the table, with its policies, and two probes besides", () => {
  const expected = listRoutes().map(([operationId, { method, path, policy, also }]) => ({
    operationId,
    method: method.toLowerCase(),
    path: path.replace(/:(\w+)/gu, "{$1}"),
    "x-policies": [policy, also].filter((name) => name !== undefined),
  }));
  const found = operations.map(({ path, method, operation }) => ({
    operationId: operation.operationId,
    method,
    path,
    "x-policies": operation["x-policies"],
  }));
  const probes = found.filter(({ "x-policies": policies }) => policies.length === 0);
  expect(probes.map(({ path }) => path)).toEqual(["/health", "/ready"]);
  const sort = (list: readonly { operationId: string }[]): unknown =>
    list.toSorted((a, b) => a.operationId.localeCompare(b.operationId));
  expect(sort(found.filter((one) => !probes.includes(one)))).toEqual(sort(expected));
});

test("it says what numbers and lists in a query may be, and what the members of a batch are", () => {
  const find = (id: string): unknown =>
    operations.find(({ operation }) => operation.operationId === id)?.operation;
  expect(find("findInstances")).toMatchObject({
    parameters: expect.arrayContaining([
      expect.objectContaining({
        name: "pageSize",
        in: "query",
        schema: { type: "integer", minimum: 1, maximum: 100 },
      }),
      expect.objectContaining({ name: "workflows", style: "form", explode: false }),
    ]) as unknown,
  });
  expect(JSON.stringify(find("createBatch"))).toContain('"required":["id"]');
});
