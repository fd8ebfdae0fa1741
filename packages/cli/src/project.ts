/** The project where a command runs: its packages, and its files. */
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Imports a local file that the user or the project's own packages name; never a URL. */
export const importFile = (path: string): Promise<unknown> =>
  import(pathToFileURL(resolve(path)).href);

/** Resolves a module from the project, or from the engine that the project depends on. null: not found. */
export function resolveInProject(specifier: string): string | null {
  const from = join(process.cwd(), "package.json");
  const own = tryResolve(from, specifier);
  if (own !== null) return own;
  const engine = tryResolve(from, "@escapement/engine");
  return engine === null ? null : tryResolve(engine, specifier);
}

function tryResolve(from: string, specifier: string): string | null {
  try {
    return createRequire(from).resolve(specifier);
  } catch {
    return null;
  }
}
