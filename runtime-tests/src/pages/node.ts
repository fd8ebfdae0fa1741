/** The page of Node, on Postgres. It starts by "Local run", and after the kill as the unit starts what was built. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createPostgresDatabase } from "@escapement-internal/test-servers";
import { checkTypes, prepareDeployment, readLocalRun, startLine } from "./page-lines.ts";
import type { PagePlatform } from "./platform.ts";

export const NODE: PagePlatform = {
  name: "node",
  missing: null,
  async open(stage) {
    const { project, token, shopUrl, defer } = stage;
    await prepareDeployment(project);
    await checkTypes(project);
    const database = await createPostgresDatabase();
    defer(() => database.drop());
    const env = { API_TOKEN: token, DATABASE_URL: database.url, SHOP_URL: shopUrl };
    const { start } = readLocalRun(project, env);
    const unit = readFileSync(join(project.folder, "orders.service"), "utf8");
    const execStart = /^ExecStart=(.+)$/m.exec(unit)?.[1] ?? "";
    const lines = [start, execStart.replace("/srv/orders", project.folder)];
    return async () => {
      const options = { env: { ...env, PORT: "0" }, ready: /^listening (\S+)$/m };
      const { match, kill } = await startLine(stage, lines.shift() ?? "", options);
      return { api: `${match[1]}/api/workflows`, kill };
    };
  },
};
