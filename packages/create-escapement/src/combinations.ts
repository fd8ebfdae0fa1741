/** What works together: which frameworks and which databases each platform has. */
import { CreateError } from "./errors.ts";

/** An option to choose. */
export interface Choice {
  readonly label: string;
  readonly hint: string;
}

export type Platform = "node" | "bun" | "deno" | "aws-lambda" | "vercel" | "netlify" | "cloudflare";

export type Framework =
  | "none"
  | "express"
  | "fastify"
  | "hono"
  | "next"
  | "sveltekit"
  | "nuxt"
  | "astro"
  | "react-router";

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

export const FRAMEWORKS: Readonly<Record<Framework, Choice>> = {
  none: { label: "None", hint: "a server with the workflows' API" },
  express: { label: "Express", hint: "a server" },
  fastify: { label: "Fastify", hint: "a server" },
  hono: { label: "Hono", hint: "a server" },
  next: { label: "Next.js", hint: "React" },
  sveltekit: { label: "SvelteKit", hint: "Svelte; Node 22" },
  nuxt: { label: "Nuxt", hint: "Vue; Node 22" },
  astro: { label: "Astro", hint: "Node 22" },
  "react-router": { label: "React Router", hint: "React; Node 22" },
};

export const FRAMEWORK_NAMES: readonly Framework[] = Object.keys(FRAMEWORKS) as Framework[];

export const DATABASES: Readonly<Record<Database, Choice>> = {
  sqlite: { label: "SQLite", hint: "a file; nothing to set up" },
  postgres: { label: "Postgres", hint: "14 or newer" },
  libsql: { label: "Turso, libSQL", hint: "a libSQL server" },
  neon: { label: "Neon", hint: "Postgres over HTTP" },
  "durable-object": { label: "Durable Object", hint: "its own storage; nothing to set up" },
  d1: { label: "D1", hint: "Cloudflare's SQL database" },
};

export const DATABASE_NAMES: readonly Database[] = Object.keys(DATABASES) as Database[];

export interface Combination {
  readonly platform: Platform;
  readonly framework: Framework;
  readonly database: Database;
}

interface Possible {
  readonly frameworks: readonly Framework[];
  readonly databases: readonly Database[];
}

/**
 * The first of each is the default; every framework of a platform works with every database of it. A SQLite file needs a
 * persistent disk; Cloudflare's databases exist only there.
 */
const POSSIBLE: Readonly<Record<Platform, Possible>> = {
  node: { frameworks: FRAMEWORK_NAMES, databases: ["sqlite", "postgres", "libsql", "neon"] },
  bun: { frameworks: ["none", "hono"], databases: ["sqlite", "postgres", "libsql", "neon"] },
  deno: { frameworks: ["none", "hono"], databases: ["libsql", "postgres", "neon"] },
  "aws-lambda": { frameworks: ["none"], databases: ["libsql", "postgres", "neon"] },
  vercel: { frameworks: ["none", "next"], databases: ["libsql", "postgres", "neon"] },
  netlify: { frameworks: ["none"], databases: ["libsql", "postgres", "neon"] },
  cloudflare: { frameworks: ["none", "hono"], databases: ["durable-object", "d1"] },
};

export const frameworksOf = (platform: Platform): readonly Framework[] =>
  POSSIBLE[platform].frameworks;

export const databasesOf = (platform: Platform): readonly Database[] =>
  POSSIBLE[platform].databases;

/** Every combination that works. */
export const COMBINATIONS: readonly Combination[] = PLATFORM_NAMES.flatMap((platform) =>
  frameworksOf(platform).flatMap((framework) =>
    databasesOf(platform).map((database) => ({ platform, framework, database })),
  ),
);

interface Wish {
  readonly framework?: string | undefined;
  readonly database?: string | undefined;
}

/** Those with the framework and the database; what is not given may be anything. */
export const combinationsWith = (wish: Wish): readonly Combination[] =>
  COMBINATIONS.filter(
    ({ framework, database }) =>
      (wish.framework ?? framework) === framework && (wish.database ?? database) === database,
  );

/** @throws {CreateError} the platform does not exist */
export function parsePlatform(text: string): Platform {
  const found = PLATFORM_NAMES.find((platform) => platform === text);
  if (found !== undefined) return found;
  throw new CreateError(`unknown platform "${text}": choose one of ${PLATFORM_NAMES.join(", ")}`);
}

/** @throws {CreateError} the framework does not exist, or does not work on the platform */
export const parseFramework = (text: string, platform: Platform): Framework =>
  parseFor(platform, frameworksOf(platform), { text, kind: "framework", known: FRAMEWORKS });

/** @throws {CreateError} the database does not exist, or the platform cannot use it */
export const parseDatabase = (text: string, platform: Platform): Database =>
  parseFor(platform, databasesOf(platform), { text, kind: "database", known: DATABASES });

interface Asked {
  readonly text: string;
  readonly kind: string;
  readonly known: object;
}

function parseFor<Name extends string>(
  platform: Platform,
  possible: readonly Name[],
  { text, kind, known }: Asked,
): Name {
  const found = possible.find((name) => name === text);
  if (found !== undefined) return found;
  const isKnown = Object.hasOwn(known, text);
  const refusal = isKnown
    ? `${text} does not work on ${platform}`
    : `there is no ${kind} "${text}"`;
  throw new CreateError(`${refusal}: for ${platform} take ${possible.join(", ")}`);
}
