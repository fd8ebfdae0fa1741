/** The page of Bun, on a SQLite file. It starts by "Local run", and after the kill as the unit starts it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { missingRuntime, RUNTIME_PATH } from "../tools.ts";
import { checkTypes, prepareDeployment, readLocalRun, startLine } from "./page-lines.ts";
import type { PagePlatform } from "./platform.ts";

/** A cache that goes with the folder. */
const TOOL_ENV = { ...RUNTIME_PATH, BUN_INSTALL_CACHE_DIR: ".bun" };

export const BUN: PagePlatform = {
  name: "bun",
  missing: missingRuntime("bun"),
  env: TOOL_ENV,
  async open(stage) {
    const { project, token, shopUrl } = stage;
    await prepareDeployment(project);
    await checkTypes(project);
    const env = { API_TOKEN: token, SHOP_URL: shopUrl };
    const { start } = readLocalRun(project, env);
    const unit = readFileSync(join(project.folder, "orders.service"), "utf8");
    const execStart = /^ExecStart=(.+)$/m.exec(unit)?.[1] ?? "";
    const lines = [start, execStart.replace("/srv/orders", project.folder)];
    return async () => {
      const options = { env: { ...TOOL_ENV, ...env, PORT: "0" }, ready: /^listening (\S+)$/m };
      const { match, kill } = await startLine(stage, lines.shift() ?? "", options);
      return { api: new URL("/api/workflows", match[1]).href, kill };
    };
  },
};
