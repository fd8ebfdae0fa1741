/** The page of Cloudflare under `wrangler dev`, in the object's own storage. */
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { findFreePort } from "@escapement-internal/test-servers";
import { missingWrangler, WRANGLER_ENV, WRANGLER_PROGRAM } from "../vendor-cloudflare.ts";
import { checkTypes, prepareDeployment, readLocalRun, startLine } from "./page-lines.ts";
import type { PagePlatform } from "./platform.ts";

const WRANGLER = dirname(dirname(WRANGLER_PROGRAM));

export const CLOUDFLARE: PagePlatform = {
  name: "cloudflare",
  missing: missingWrangler(),
  env: WRANGLER_ENV,
  isHere: (line) => line.endsWith(" wrangler"),
  prepare: (folder) => {
    mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
    symlinkSync(WRANGLER, join(folder, "node_modules/wrangler"));
    symlinkSync("../wrangler/bin/wrangler.js", join(folder, "node_modules/.bin/wrangler"));
  },
  async open(stage) {
    const { project, token, shopUrl } = stage;
    await prepareDeployment(project);
    await checkTypes(project);
    const env = { API_TOKEN: token, SHOP_URL: shopUrl };
    const { start } = readLocalRun(project, env);
    return async () => {
      const port = await findFreePort();
      const line = start.replace("8787", String(port));
      const options = { env: { ...WRANGLER_ENV, ...env }, ready: /Ready on/ };
      const { kill } = await startLine(stage, line, options);
      return { api: `http://127.0.0.1:${port}/api/workflows`, kill };
    };
  },
};
