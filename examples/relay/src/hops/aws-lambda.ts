/** Lambda: the bundle under AWS's own runtime client, or under a small one of ours where that is not installed. */
import { join } from "node:path";
import { findRuntime } from "@escapement-internal/runtime-tests/tools";
import {
  lambdaClientArguments,
  missingLambdaClient,
} from "@escapement-internal/runtime-tests/vendor-aws";
import { spawnServer } from "@escapement-internal/test-servers";
import type { Hop, HopStart, RunningHop } from "./hop.ts";
import { startLambdaRuntimeApi } from "./lambda-runtime-api.ts";
import { bundleRunner, runnerFile } from "./runners.ts";

export const awsLambda: Hop = {
  name: "aws-lambda",
  missing: () => null,
  note: () => {
    const missing = missingLambdaClient();
    return missing === null ? null : `by a runtime client of ours, since ${missing}`;
  },
  start: startLambda,
};

async function startLambda({ settings, folder }: HopStart): Promise<RunningHop> {
  const outfile = join(folder, "index.js");
  await bundleRunner({
    runner: "aws-lambda",
    outfile,
    format: "cjs",
    platform: "node",
    external: ["@aws-sdk/*"],
  });
  const api = await startLambdaRuntimeApi();
  const [command, client] =
    missingLambdaClient() === null
      ? [findRuntime("node24") ?? "node", lambdaClientArguments()]
      : [process.execPath, ["--import", import.meta.resolve("tsx"), runnerFile("lambda-client")]];
  let readOutput = (): string => "";
  const server = await spawnServer({
    command,
    args: [...client],
    cwd: folder,
    env: {
      RELAY: JSON.stringify(settings),
      AWS_LAMBDA_RUNTIME_API: api.address,
      AWS_LAMBDA_FUNCTION_NAME: "relay",
      AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "512",
      AWS_REGION: "eu-central-1",
      AWS_LAMBDA_LOG_GROUP_NAME: "/aws/lambda/relay",
      AWS_LAMBDA_LOG_STREAM_NAME: "relay",
      LAMBDA_TASK_ROOT: folder,
      _HANDLER: "index.handler",
    },
    ready: async (output) => {
      readOutput = output;
      return true;
    },
  });
  return {
    pid: server.pid,
    tick: async () => {
      const gone = server.exited.then(() =>
        Promise.reject(
          new Error(`the function's process ended:
${readOutput().slice(-2000)}`),
        ),
      );
      const record = { messageId: "relay", body: '{"kind":"tick"}', eventSource: "aws:sqs" };
      const answer = (await Promise.race([api.invoke({ Records: [record] }), gone])) as BatchAnswer;
      if (answer.batchItemFailures.length > 0)
        throw new Error("the message is to be delivered again");
    },
    kill: async () => {
      await server.stop();
      api.close();
    },
  };
}

interface BatchAnswer {
  readonly batchItemFailures: readonly unknown[];
}
