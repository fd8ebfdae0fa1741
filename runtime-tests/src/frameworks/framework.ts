/** The web frameworks of docs/guides/frameworks.md: how each is built and served, and what it lacks. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { missingRuntime } from "../tools.ts";

/** The frameworks' own installation; projects are made inside it, so that they find the framework. */
export const ROOT = fileURLToPath(new URL("../../vendors/frameworks/", import.meta.url));

export interface Framework {
  /** Heading of the page, without what is no letter the name of the folder in `apps/`. */
  readonly heading: string;
  /** Where `engine.ts` is. */
  readonly engineIn: string;
  /** Nothing runs when its server starts. */
  readonly startsLate?: boolean;
  /** Files below `node_modules`, and arguments. */
  readonly build: readonly string[];
  /** The same, or a file of what was built. `PORT` says where it listens. */
  readonly serve: readonly string[];
}

export const FRAMEWORKS: readonly Framework[] = [
  {
    heading: "Next.js",
    engineIn: ".",
    build: ["node_modules/next/dist/bin/next", "build"],
    serve: ["node_modules/next/dist/bin/next", "start", "-H", "127.0.0.1"],
  },
  {
    heading: "SvelteKit",
    engineIn: "src",
    build: ["node_modules/vite/bin/vite.js", "build"],
    serve: ["build/index.js"],
  },
  {
    heading: "Nuxt",
    engineIn: ".",
    build: ["node_modules/nuxt/bin/nuxt.mjs", "build"],
    serve: [".output/server/index.mjs"],
  },
  {
    heading: "Astro",
    engineIn: "src",
    startsLate: true,
    build: ["node_modules/astro/bin/astro.mjs", "build"],
    serve: ["dist/server/entry.mjs"],
  },
  {
    heading: "React Router",
    engineIn: "app",
    startsLate: true,
    build: ["node_modules/@react-router/dev/dist/cli/index.js", "build"],
    serve: ["node_modules/@react-router/serve/bin.cjs", "build/server/index.js"],
  },
];

/** Why they are skipped; null when everything is there. */
export function missingFrameworks(): string | null {
  const isThere = existsSync(join(ROOT, "node_modules/next"));
  const how = "npx pnpm@10 install --dir runtime-tests/vendors/frameworks";
  return isThere ? missingRuntime("node24") : `frameworks are not installed: ${how}`;
}
