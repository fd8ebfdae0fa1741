/** AWS's runtime interface client, which is what runs a function inside Lambda's Node images, where it has been built. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { missingRuntime } from "./tools.ts";

const CLIENT = fileURLToPath(
  new URL("../vendors/aws/node_modules/aws-lambda-ric/", import.meta.url),
);

/** Its program, for Node 22 and later. */
export const LAMBDA_CLIENT = `${CLIENT}index.mjs`;

/** Why a test that needs the client is skipped; null when it is there. */
export function missingLambdaClient(): string | null {
  // Its native part is compiled when it is installed: with a C++ compiler, make, cmake and xz.
  if (existsSync(`${CLIENT}rapid-client.node`)) return missingRuntime("node24");
  return "aws-lambda-ric is not built: npx pnpm@10 install --dir runtime-tests/vendors/aws";
}
