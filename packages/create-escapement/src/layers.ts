/** The folders of `templates` that make a project. */
import type { Combination, Framework, Platform } from "./combinations.ts";

/** Platforms whose deployments need named secrets, and migrate the tables first. */
const MIGRATING: ReadonlySet<Platform> = new Set(["deno", "aws-lambda", "vercel", "netlify"]);
/** Platforms where one instance handles one invocation at a time, so that more than one connection would be idle. */
const ONE_AT_A_TIME: ReadonlySet<Platform> = new Set(["aws-lambda", "vercel"]);
/** Frameworks that are called by a program of the project. Any other makes the program, of its routes. */
const CALLED: ReadonlySet<Framework> = new Set(["express", "fastify", "hono"]);

/** Frameworks that start the platform, and take the signals themselves. */
const STARTING: ReadonlySet<Framework> = new Set(["sveltekit", "nuxt"]);

/** Each overrides those before it; those of a combination may be missing. */
export function layersOf({ platform, framework, database }: Combination): readonly string[] {
  const isMigrating = MIGRATING.has(platform);
  const secrets = database === "libsql" ? "secrets/url-and-token" : "secrets/url";
  const isNarrow = database === "postgres" && ONE_AT_A_TIME.has(platform);
  return [
    "base",
    ...(isMigrating ? ["tables", secrets] : []),
    `platforms/${platform}`,
    ...(platform === "node" ? programOf(framework) : []),
    `frameworks/${framework}`,
    `combinations/${platform}-${framework}`,
    `databases/${database}`,
    ...(isNarrow ? ["databases/postgres-functions"] : []),
    `combinations/${platform}-${database}`,
  ];
}

/** Node's program is bundled from `src/main.ts`, or built by the framework. */
function programOf(framework: Framework): readonly string[] {
  if (framework === "none") return ["programs/bundled"];
  if (STARTING.has(framework)) return ["programs/started"];
  return CALLED.has(framework) ? ["programs/bundled", "programs/engine"] : [];
}
