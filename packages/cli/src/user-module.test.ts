/** Files of projects as `npm init -y` makes them: their package.json has no type, or says commonjs. */
import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import { expect, test } from "vitest";

const PACKAGE = fileURLToPath(new URL("../", import.meta.url));
const TSX = fileURLToPath(new URL("../", import.meta.resolve("tsx")));
const run = promisify(execFile);

/** As the built command does: nothing but the command itself tells Node how to read TypeScript. */
const START = `
  import { register } from "tsx/esm/api";
  register();
  const { importUserModule } = await import(process.argv[1]);
  const found = await importUserModule("./workflows.ts", "MODULE_NOT_LOADED");
  console.log(found.order.name, found.default);
`;

test.each(["{}", '{"type":"commonjs"}', '{"type":"module"}'])(
  "S8-011 a TypeScript file is read in a project whose package.json is %s",
  async (manifest) => {
    const directory = temporaryDirectory();
    try {
      const project = directory.path;
      writeFileSync(join(project, "package.json"), manifest);
      mkdirSync(join(project, "node_modules"));
      symlinkSync(TSX, join(project, "node_modules/tsx"));
      symlinkSync(
        join(PACKAGE, "node_modules/@escapement"),
        join(project, "node_modules/@escapement"),
      );
      writeFileSync(
        join(project, "workflows.ts"),
        'import { defineWorkflow } from "@escapement/engine";\n' +
          'export const order = defineWorkflow({ name: "order" }, async (_event: unknown) => 1);\n' +
          "export default 7;\n",
      );
      const source = join(PACKAGE, "src/user-module.ts");
      const args = ["--input-type=module", "--eval", START, source];
      const { stdout } = await run(process.execPath, args, { cwd: project });
      expect(stdout).toBe("order 7\n");
    } finally {
      directory.remove();
    }
  },
);
