/** Who may import whom: the table of CONTRIBUTING.md as data. */

/** What files of one room may import. Names in `rooms` and `typeRooms` are room names of `roomOf`. */
export interface RoomRule {
  /** Rooms whose values and types may be imported; its own room always may. */
  readonly rooms: readonly string[];
  /** Rooms of which only types may be imported. */
  readonly typeRooms?: readonly string[];
  /** Packages, by exact specifier or by prefix ending in `/` or `:`; an entry `/internal` by its whole name only. */
  readonly packages: readonly string[];
}

const ENGINE_ROOMS = ["core", "ports", "authoring", "run", "process", "drive", "verbs", "http"];

const FRAGMENT_PACKAGES = [
  "@escapement/engine",
  "@escapement/engine/",
  "@escapement/engine/internal",
  "@fragno-dev/",
  "@standard-schema/spec",
];

/** Every room. A file in no room is a finding. */
export const ROOM_RULES: Readonly<Record<string, RoomRule>> = {
  core: { rooms: [], packages: [] },
  ports: { rooms: [], typeRooms: ["core"], packages: [] },
  authoring: { rooms: ["core"], typeRooms: ["ports"], packages: ["@standard-schema/spec"] },
  // One run: a claimed run advanced from replay to its next wait or end.
  run: { rooms: ["core", "ports", "authoring"], packages: [] },
  // One process: slots, claims ahead, shared trips, ticks and the loop.
  process: { rooms: ["core", "ports", "authoring", "run"], packages: [] },
  http: { rooms: ["core", "ports"], packages: ["valibot"] },
  // An engine to call over HTTP, for tests; not published.
  "http/testing": { rooms: [...ENGINE_ROOMS, "stores/memory"], packages: ["zod"] },
  // One driver for all that only tick: who is woken when, by what a platform can do.
  drive: { rooms: ["core", "ports", "process"], packages: [] },
  // What an engine can be asked, and the engine.
  verbs: { rooms: ["core", "ports", "authoring", "run", "process", "drive", "http"], packages: [] },
  // Texts and permits of deployments; nothing of an engine imports it.
  deploy: { rooms: ["core"], typeRooms: ["ports"], packages: [] },
  "engine-entry": { rooms: ENGINE_ROOMS, typeRooms: ["types-entry"], packages: [] },
  // What adapters need beyond what users do.
  "adapter-entry": { rooms: ["core", "ports", "drive", "http", "deploy"], packages: [] },
  // Types that declarations of users name; no values.
  "types-entry": { rooms: [], typeRooms: [...ENGINE_ROOMS, "stores/sql"], packages: [] },
  // What the fragment needs beyond the public entries; nothing of the engine imports it.
  "engine-internal": { rooms: [...ENGINE_ROOMS, "stores/sql"], packages: [] },
  // For packages that run no workflows: no verbs, and nothing that loads code late.
  "engine-internal/values": { rooms: ["core", "http"], packages: [] },
  "stores/memory": { rooms: ["core", "ports"], packages: [] },
  "stores/sql": {
    rooms: ["core", "ports"],
    packages: [
      "@escapement/db",
      "@escapement/db/client",
      "@escapement/db/internal",
      "@escapement/db/transaction",
    ],
  },
  // The calls that give a store: each loads its driver, and nothing else imports them.
  databases: {
    rooms: ["core", "ports", "stores/sql"],
    packages: [
      "@escapement/db",
      "@escapement/db/",
      "@electric-sql/pglite",
      "@libsql/client/web",
      "@neondatabase/serverless",
    ],
  },
  "engine-testing": {
    rooms: [...ENGINE_ROOMS, "stores/memory", "stores/sql"],
    packages: ["@escapement/db", "@escapement/db/", "vitest", "fast-check"],
  },
  // Explains statements; not published.
  "engine-testing/plans": {
    rooms: [...ENGINE_ROOMS, "stores/sql", "engine-testing"],
    packages: [
      "@escapement/db",
      "@escapement/db/",
      "@escapement-internal/test-servers",
      "libsql",
      "pg",
    ],
  },
  db: { rooms: [], packages: [] },
  // What several clients share, and clients of what a platform has built in; no driver.
  "db/clients": { rooms: ["db"], packages: [] },
  "db/clients/pg": { rooms: ["db", "db/clients"], packages: ["pg", "node:"] },
  "db/clients/pglite": { rooms: ["db", "db/clients"], packages: ["@electric-sql/pglite", "node:"] },
  "db/clients/libsql": {
    rooms: ["db", "db/clients"],
    packages: ["@libsql/client", "@libsql/client/", "node:"],
  },
  "db/clients/neon": { rooms: ["db", "db/clients"], packages: ["@neondatabase/serverless"] },
  "db/clients/data-api": { rooms: ["db", "db/clients"], packages: ["@aws-sdk/client-rds-data"] },
  "db/clients/sqlite": { rooms: ["db", "db/clients"], packages: ["libsql", "node:"] },
  "db/clients/node-sqlite": { rooms: ["db", "db/clients", "db/clients/sqlite"], packages: [] },
  "db/clients/bun-sqlite": { rooms: ["db", "db/clients/sqlite"], packages: [] },
  "db-entry": { rooms: ["db"], packages: [] },
  // What the engine's migrations and the fragment's adapter need beyond the public entries.
  "db-internal": { rooms: ["db"], packages: [] },
  "db-testing": { rooms: ["db"], packages: ["vitest", "node:"] },
  // Fragno's database adapter and its hooks, which know nothing of workflows.
  "fragno/adapter": {
    rooms: [],
    packages: [
      "@escapement/db",
      "@escapement/db/client",
      "@escapement/db/internal",
      "@fragno-dev/",
    ],
  },
  // Databases and fragments for the tests of the adapter; not published.
  "fragno/adapter/testing": {
    rooms: ["fragno/adapter"],
    packages: [
      "@escapement/db",
      "@escapement/db/",
      "@escapement-internal/",
      "@fragno-dev/",
      "esbuild",
      "@electric-sql/pglite",
      "@libsql/client",
      "libsql",
      "vitest",
      "node:",
    ],
  },
  // Declares the tables in Fragno's language and compiles migrations.
  "fragno/schema": {
    rooms: ["fragno/adapter"],
    packages: ["@escapement/engine", "@escapement/engine/internal", "@fragno-dev/"],
  },
  // The engine inside a fragment.
  "fragno/fragment": {
    rooms: ["fragno/adapter", "fragno/schema", "fragno/fragment/clients"],
    packages: [...FRAGMENT_PACKAGES, "@escapement/db", "@escapement/db/client"],
  },
  // Databases and fragments for the tests of the fragment; not published.
  "fragno/fragment/testing": {
    rooms: ["fragno/adapter", "fragno/schema", "fragno/fragment"],
    packages: [
      ...FRAGMENT_PACKAGES,
      "@escapement/db",
      "@escapement/db/",
      "@escapement-internal/",
      "@libsql/client",
      "libsql",
      "pg",
    ],
  },
  // Runs in browsers: the HTTP table and no more.
  "fragno/fragment/clients": { rooms: [], packages: FRAGMENT_PACKAGES },
  // Plays workflows with the tables of fragments.
  "fragno/scenario": {
    rooms: ["fragno/adapter", "fragno/fragment"],
    packages: [...FRAGMENT_PACKAGES, "@escapement/db", "@escapement/db/", "libsql"],
  },
  "fragno-entry": {
    rooms: ["fragno/adapter", "fragno/schema", "fragno/fragment", "fragno/fragment/clients"],
    packages: ["@escapement/engine"],
  },
  // Looks at an engine over its own HTTP API, on every platform.
  dashboard: {
    rooms: [],
    packages: ["@escapement/engine", "@escapement/engine/http", "@escapement/engine/http/internal"],
  },
  // Opens it in a browser, for its tests; not published.
  "dashboard/testing": {
    rooms: ["dashboard"],
    packages: [
      "@escapement/engine",
      "@escapement/engine/store/memory",
      "@escapement/engine/testing",
      "@escapement/node",
      "axe-core",
      "node:",
      "playwright-core",
    ],
  },
  // Runs in browsers; of the engine it has only types.
  "dashboard/app": {
    rooms: [],
    packages: ["@escapement/engine", "@preact/signals", "preact", "preact/"],
  },
  "adapters/aws-lambda": {
    rooms: [],
    packages: [
      "@escapement/engine",
      "@escapement/engine/",
      "@aws-sdk/",
      "hono",
      "hono/aws-lambda",
      "node:",
    ],
  },
  "adapters/cloudflare": { rooms: [], packages: ["@escapement/engine", "@escapement/engine/"] },
  "adapters/deno": { rooms: [], packages: ["@escapement/engine", "@escapement/engine/"] },
  "adapters/netlify": { rooms: [], packages: ["@escapement/engine", "@escapement/engine/"] },
  "adapters/_contract": {
    rooms: [],
    packages: ["@escapement/engine", "@escapement/engine/", "vitest"],
  },
  "adapters/bun": { rooms: [], packages: ["@escapement/engine", "@escapement/engine/"] },
  "adapters/vercel": { rooms: [], packages: ["@escapement/engine", "@escapement/engine/"] },
  "adapters/node": {
    rooms: [],
    packages: ["@escapement/engine", "@escapement/engine/", "@hono/node-server", "node:"],
  },
  // A program that writes files; its templates are no part of it.
  "create-escapement": { rooms: [], packages: ["node:", "@clack/prompts"] },
  // A program that talks to an engine, as any client of its HTTP API does, or that makes one over a database.
  // Follows an engine with spans, through OpenTelemetry's API alone.
  otel: {
    rooms: [],
    packages: [
      "@escapement/engine",
      "@escapement/engine/types",
      "@escapement/engine/internal",
      "@escapement/engine/internal/values",
      "@opentelemetry/api",
    ],
  },
  // An SDK, and a process to kill, for its tests; not published.
  "otel/testing": {
    rooms: ["otel"],
    packages: ["@escapement/engine", "@escapement/engine/", "@opentelemetry/", "node:"],
  },
  // A program that talks to an engine, as any client of its HTTP API does.
  cli: {
    rooms: [],
    packages: [
      "node:",
      "commander",
      "@escapement/dashboard",
      "@escapement/db",
      "@escapement/db/",
      "@escapement/engine",
      "@escapement/engine/",
      "@escapement/engine/internal",
      "@escapement/node",
      "@libsql/client/web",
      "libsql",
      "pg",
    ],
  },
  // A project of a user's, for its tests; not published.
  "cli/testing": {
    rooms: ["cli"],
    packages: ["node:", "@escapement/engine", "@escapement/engine/", "@escapement/node"],
  },
};

/** The room of a source file, or null outside the packages. */
export function roomOf(path: string): string | null {
  const adapter = /^adapters\/([^/]+)\/src\//.exec(path)?.[1];
  if (adapter !== undefined) return `adapters/${adapter}`;
  const [, owner, inside] = /^packages\/([^/]+)\/src\/(.+)$/.exec(path) ?? [];
  if (owner === undefined || inside === undefined) return null;
  if (owner === "create-escapement") return owner;
  if (owner === "cli") return inside.startsWith("testing-") ? "cli/testing" : "cli";
  if (owner === "otel") return inside.startsWith("testing-") ? "otel/testing" : "otel";
  if (owner === "dashboard") return dashboardRoom(inside);
  if (owner === "db") return dbRoom(inside);
  return owner === "fragno" ? fragnoRoom(inside) : engineRoom(inside);
}

function dbRoom(inside: string): string {
  const client = /^clients\/[^/.]+/.exec(inside)?.[0];
  if (client !== undefined) return `db/${client}` in ROOM_RULES ? `db/${client}` : "db/clients";
  if (inside === "index.ts" || inside === "client.ts") return "db-entry";
  if (inside === "internal.ts") return "db-internal";
  return inside.startsWith("testing/") ? "db-testing" : "db";
}

function dashboardRoom(inside: string): string {
  if (inside.startsWith("testing-")) return "dashboard/testing";
  return inside.startsWith("app/") ? "dashboard/app" : "dashboard";
}

function fragnoRoom(inside: string): string {
  if (inside === "index.ts") return "fragno-entry";
  const part = /^(?:adapter\/testing(?=\/)|fragment\/(?:clients(?=\/)|testing))/.exec(inside)?.[0];
  return `fragno/${part ?? inside.split("/")[0]}`;
}

function engineRoom(inside: string): string {
  if (inside === "index.ts") return "engine-entry";
  if (inside === "adapter.ts") return "adapter-entry";
  if (inside === "types.ts") return "types-entry";
  if (inside === "internal.ts") return "engine-internal";
  if (inside === "internal-values.ts") return "engine-internal/values";
  if (inside.startsWith("testing/plans/")) return "engine-testing/plans";
  if (inside.startsWith("testing/")) return "engine-testing";
  if (inside.startsWith("http/testing")) return "http/testing";
  const store = /^stores\/[^/]+/.exec(inside)?.[0];
  return store ?? inside.split("/")[0] ?? inside;
}
