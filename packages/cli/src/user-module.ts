/** A module of the user's, named at the shell: a file of this machine, in JavaScript or TypeScript. */
import { existsSync } from "node:fs";
import { extname } from "node:path";
import { RefusedError } from "./errors.ts";
import { importFile, resolveInProject } from "./project.ts";

/** What a module exports. */
export type Exports = Readonly<Record<string, unknown>>;

const TYPESCRIPT: ReadonlySet<string> = new Set([".ts", ".mts", ".cts", ".tsx"]);

/** @param code of the refusal @throws {RefusedError} it is missing, cannot be read by this Node, or throws */
export async function importUserModule(path: string, code: string): Promise<Exports> {
  if (!existsSync(path))
    throw new RefusedError(code, `${path} cannot be imported: there is no such file`);
  if (TYPESCRIPT.has(extname(path))) await readTypeScript(path, code);
  try {
    return (await importFile(path)) as Exports;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // A compiler's takes several lines.
    const line = reason.trim().replaceAll(/\s*\n\s*/gu, " ");
    throw new RefusedError(code, `${path} cannot be imported: ${line}`);
  }
}

/**
 * By `tsx` where the project has it: it knows all of TypeScript, the paths of its `tsconfig.json`, and imports without an extension.
 * Else by Node itself, which from 22.18 on leaves types out.
 */
async function readTypeScript(path: string, code: string): Promise<void> {
  const tsx = resolveInProject("tsx/esm/api");
  if (tsx !== null) {
    // What is found is for `require`; the module beside it is for `import`.
    const { register } = (await importFile(tsx.replace(/\.cjs$/, ".mjs"))) as {
      readonly register: () => unknown;
    };
    register();
    return;
  }
  if ((process.features as { readonly typescript?: string | false }).typescript) return;
  throw new RefusedError(
    code,
    `${path} is TypeScript: install tsx beside it (npm install --save-dev tsx), or use Node 22.18 or newer`,
  );
}
