/** Where the deployed objects keep their data. */
import type { deploy } from "@escapement/cloudflare";

/** None of its own: the object's storage comes with it. */
export const DATABASE: Pick<Parameters<typeof deploy>[0], "d1"> = {};
