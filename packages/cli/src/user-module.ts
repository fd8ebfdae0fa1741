/** A module of the user, named on the command line: a local file in JavaScript or TypeScript. */
import { existsSync } from "node:fs";
import { extname } from "node:path";
import { RefusedError } from "./errors.ts";
import { importFile, resolveInProject } from "./project.ts";

/** The exports of a module. */
export type Exports = Readonly<Record<string, unknown>>;

const TYPESCRIPT: ReadonlySet<string> = new Set([".ts", ".mts", ".cts", ".tsx"]);

/** @param code of the error @throws {RefusedError} it is missing, cannot be read by this Node, or throws */
export async function importUserModule(path: string, code: string): Promise<Exports> {
  if (!existsSync(path))
    throw new RefusedError(code, `${path} cannot be imported: there is no such file`);
  if (TYPESCRIPT.has(extname(path))) await readTypeScript(path, code);
  try {
    return toExports((await importFile(path)) as Exports);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // A compiler's message may have several lines.
    const line = reason.trim().replaceAll(/\s*\n\s*/gu, " ");
    throw new RefusedError(code, `${path} cannot be imported: ${line}`);
  }
}

/** A file whose package.json has no `"type": "module"` may be read as CommonJS: all of its exports are then in `default`. */
function toExports(loaded: Exports): Exports {
  const all = loaded["default"];
  const isCommonJs = typeof all === "object" && all !== null && "__esModule" in all;
  return isCommonJs ? { ...all } : loaded;
}

/**
 * Loads TypeScript with `tsx` if the project has it: `tsx` knows all of TypeScript, the paths in `tsconfig.json`, and imports without an
 * extension. Otherwise Node itself loads it, which strips types since 22.18.
 */
async function readTypeScript(path: string, code: string): Promise<void> {
  const apis = ["tsx/cjs/api", "tsx/esm/api"].map(resolveInProject);
  if (apis.every((api) => api !== null)) {
    // The resolved file is for `require`; the module next to it is for `import`.
    for (const api of apis) {
      const { register } = (await importFile(api.replace(/\.cjs$/, ".mjs"))) as {
        readonly register: () => unknown;
      };
      register();
    }
    return;
  }
  if ((process.features as { readonly typescript?: string | false }).typescript) return;
  throw new RefusedError(
    code,
    `${path} is TypeScript: install tsx beside it (npm install --save-dev tsx), or use Node 22.18 or newer`,
  );
}
