/** Where the deployed objects keep their data. */
import type { DeployOptions } from "@escapement/cloudflare";

/** None of its own: the object's storage comes with it. */
export const DATABASE: Pick<DeployOptions, "d1"> = {};
