/** AWS's runtime interface client, which is what runs a function inside Lambda's Node images, where it has been built. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { missingRuntime } from "./tools.ts";

const MODULES = fileURLToPath(new URL("../vendors/aws/node_modules/", import.meta.url));
const CLIENT = `${MODULES}aws-lambda-ric/`;

/** Arguments for Node 24 that run it. */
export function lambdaClientArguments(): readonly string[] {
  const standIn = fileURLToPath(new URL("lambda/stand-in.ts", import.meta.url));
  return isCompiled() ? [PROGRAM] : ["--import", standIn, PROGRAM];
}

/** Why a test that needs the client is skipped; null when it is there. */
export function missingLambdaClient(): string | null {
  if (!existsSync(PROGRAM)) return `aws-lambda-ric is not installed: ${HOW}`;
  if (!isCompiled())
    console.warn(`aws-lambda-ric is not compiled, its HTTP calls are made by fetch: ${HOW}`);
  return missingRuntime("node24");
}

/** It compiles a part, its HTTP client, when it is installed: with a C++ compiler, make, cmake and xz. */
const isCompiled = (): boolean => existsSync(`${CLIENT}rapid-client.node`);

const PROGRAM = `${CLIENT}index.mjs`;
const HOW = "npx pnpm@10 install --dir runtime-tests/vendors/aws";
