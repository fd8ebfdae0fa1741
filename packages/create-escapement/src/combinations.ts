/** Which databases each platform works with, and which folders of `templates` a project of the two is made of. */
import { CreateError } from "./errors.ts";

/** Something to choose. */
export interface Choice {
  readonly label: string;
  readonly hint: string;
}

export type Platform = "node" | "bun" | "deno" | "aws-lambda" | "vercel" | "netlify" | "cloudflare";

export type Database = "sqlite" | "postgres" | "libsql" | "neon" | "durable-object" | "d1";

export const PLATFORMS: Readonly<Record<Platform, Choice>> = {
  node: { label: "Node", hint: "a process that stays" },
  bun: { label: "Bun", hint: "a process that stays" },
  deno: { label: "Deno, Deno Deploy", hint: "an isolate and a minute cron" },
  "aws-lambda": { label: "AWS Lambda", hint: "functions, SQS and EventBridge Scheduler" },
  vercel: { label: "Vercel", hint: "functions and Vercel Queues" },
  netlify: { label: "Netlify", hint: "a background function" },
  cloudflare: { label: "Cloudflare", hint: "a Worker and a Durable Object" },
};

/** In the order in which they are offered. */
export const PLATFORM_NAMES: readonly Platform[] = Object.keys(PLATFORMS) as Platform[];

export const DATABASES: Readonly<Record<Database, Choice>> = {
  sqlite: { label: "SQLite", hint: "a file; nothing to set up" },
  postgres: { label: "Postgres", hint: "14 or newer" },
  libsql: { label: "Turso, libSQL", hint: "a libSQL server" },
  neon: { label: "Neon", hint: "Postgres over HTTP" },
  "durable-object": { label: "Durable Object", hint: "its own storage; nothing to set up" },
  d1: { label: "D1", hint: "Cloudflare's SQL database" },
};

export interface Combination {
  readonly platform: Platform;
  readonly database: Database;
}

/** The first one is taken where none is named. A file needs a disk that stays; Cloudflare's databases are only there. */
const DATABASES_OF: Readonly<Record<Platform, readonly Database[]>> = {
  node: ["sqlite", "postgres", "libsql", "neon"],
  bun: ["sqlite", "postgres", "libsql", "neon"],
  deno: ["libsql", "postgres", "neon"],
  "aws-lambda": ["libsql", "postgres", "neon"],
  vercel: ["libsql", "postgres", "neon"],
  netlify: ["libsql", "postgres", "neon"],
  cloudflare: ["durable-object", "d1"],
};

/** The platforms whose deployments are given secrets by name, and bring the tables up to date first. */
const MIGRATING: ReadonlySet<Platform> = new Set(["deno", "aws-lambda", "vercel", "netlify"]);
/** Those of which one instance takes one invocation at a time: more than one connection would idle. */
const ONE_AT_A_TIME: ReadonlySet<Platform> = new Set(["aws-lambda", "vercel"]);

export const databasesOf = (platform: Platform): readonly Database[] => DATABASES_OF[platform];

/** Every combination that works. */
export const COMBINATIONS: readonly Combination[] = PLATFORM_NAMES.flatMap((platform) =>
  databasesOf(platform).map((database) => ({ platform, database })),
);

/** @throws {CreateError} no such platform */
export function parsePlatform(text: string): Platform {
  const found = PLATFORM_NAMES.find((platform) => platform === text);
  if (found !== undefined) return found;
  throw new CreateError(`there is no platform "${text}": take ${PLATFORM_NAMES.join(", ")}`);
}

/** @throws {CreateError} no such database, or none that the platform can use */
export function parseDatabase(text: string, platform: Platform): Database {
  const possible = databasesOf(platform);
  const found = possible.find((database) => database === text);
  if (found !== undefined) return found;
  const isKnown = Object.hasOwn(DATABASES, text);
  const refusal = isKnown
    ? `${text} does not work on ${platform}`
    : `there is no database "${text}"`;
  throw new CreateError(`${refusal}: for ${platform} take ${possible.join(", ")}`);
}

/** Folders of `templates`, each over those before it; those of a combination may be absent. */
export function layersOf({ platform, database }: Combination): readonly string[] {
  const isMigrating = MIGRATING.has(platform);
  const secrets = database === "libsql" ? "secrets/url-and-token" : "secrets/url";
  const isNarrow = database === "postgres" && ONE_AT_A_TIME.has(platform);
  return [
    "base",
    ...(isMigrating ? ["tables", secrets] : []),
    `platforms/${platform}`,
    `databases/${database}`,
    ...(isNarrow ? ["databases/postgres-functions"] : []),
    `combinations/${platform}-${database}`,
  ];
}
