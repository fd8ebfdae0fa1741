/** Which databases each platform works with, and the folders of `templates` that make a project for both. */
import { CreateError } from "./errors.ts";

/** An option to choose. */
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

/** The first one is the default. A SQLite file needs a persistent disk; Cloudflare's databases exist only there. */
const DATABASES_OF: Readonly<Record<Platform, readonly Database[]>> = {
  node: ["sqlite", "postgres", "libsql", "neon"],
  bun: ["sqlite", "postgres", "libsql", "neon"],
  deno: ["libsql", "postgres", "neon"],
  "aws-lambda": ["libsql", "postgres", "neon"],
  vercel: ["libsql", "postgres", "neon"],
  netlify: ["libsql", "postgres", "neon"],
  cloudflare: ["durable-object", "d1"],
};

/** Platforms whose deployments need named secrets, and migrate the tables first. */
const MIGRATING: ReadonlySet<Platform> = new Set(["deno", "aws-lambda", "vercel", "netlify"]);
/** Platforms where one instance handles one invocation at a time, so that more than one connection would be idle. */
const ONE_AT_A_TIME: ReadonlySet<Platform> = new Set(["aws-lambda", "vercel"]);

export const databasesOf = (platform: Platform): readonly Database[] => DATABASES_OF[platform];

/** Every combination that works. */
export const COMBINATIONS: readonly Combination[] = PLATFORM_NAMES.flatMap((platform) =>
  databasesOf(platform).map((database) => ({ platform, database })),
);

/** @throws {CreateError} the platform does not exist */
export function parsePlatform(text: string): Platform {
  const found = PLATFORM_NAMES.find((platform) => platform === text);
  if (found !== undefined) return found;
  throw new CreateError(`unknown platform "${text}": choose one of ${PLATFORM_NAMES.join(", ")}`);
}

/** @throws {CreateError} the database does not exist, or the platform cannot use it */
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

/** Folders of `templates`, each overriding those before it; those of a combination may be missing. */
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
