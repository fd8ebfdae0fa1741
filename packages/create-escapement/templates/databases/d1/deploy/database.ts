/** Where the deployed objects keep their data. */
import type { deploy } from "@escapement/cloudflare";

/** `npx wrangler d1 create escapement-app` prints the id that belongs here; then `npm run deploy:files`. */
export const DATABASE: Pick<Parameters<typeof deploy>[0], "d1"> = {
  d1: {
    databaseName: "escapement-app",
    databaseId: "00000000-0000-0000-0000-000000000000",
  },
};
