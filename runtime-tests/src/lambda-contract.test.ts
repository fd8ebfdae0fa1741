/** The adapter contract through Lambda's own event shapes, the real AWS SDK, and a fake AWS that its service models judge. */
import { describeAdapterContract } from "@escapement/adapter-contract";
import {
  CONTRACT_ACCESS,
  CONTRACT_TICK,
  CONTRACT_WORKFLOWS,
  createClock,
  createFaults,
  withProbes,
} from "@escapement/adapter-contract/app";
import { createLambdaPlatform, handler, oneTimeSchedules, sqsQueue } from "@escapement/aws-lambda";
import { createEngine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { QUEUE_ARN, QUEUE_URL, ROLE_ARN } from "./lambda/events.ts";
import { startFakeAws } from "./lambda/fake-aws.ts";
import { toFixture } from "./lambda/fixture.ts";

const credentials = { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "example" };

describeAdapterContract({
  name: "AWS Lambda",
  skip: null,
  capabilities: {
    invocations: true,
    deadlines: true,
    exactWakes: { maxWakeMs: Infinity, earlyMs: 180_000 },
    faults: true,
    clockSkew: true,
    unknownEvents: true,
  },
  open: async ({ hasTickSecrets, losesWakes, database, clockOffMs }) => {
    const aws = await startFakeAws();
    aws.isDown = losesWakes;
    const client = { region: "eu-central-1", endpoint: aws.url, credentials };
    const now = createClock(clockOffMs);
    const platform = createLambdaPlatform({
      queue: sqsQueue(QUEUE_URL, client),
      schedules: oneTimeSchedules({
        groupName: "wakes",
        queueArn: QUEUE_ARN,
        roleArn: ROLE_ARN,
        ...client,
      }),
      now,
    });
    const faults = createFaults(database);
    const { logger } = faults;
    const engine = createEngine({
      workflows: CONTRACT_WORKFLOWS,
      store: faults.wrapStore(createMemoryStore()),
      platform,
      logger,
      host: { now },
      http: { ...CONTRACT_ACCESS, ...(hasTickSecrets ? { tick: CONTRACT_TICK, now } : {}) },
    });
    const run = handler(withProbes(engine, faults), { platform, logger });
    return {
      ...toFixture(aws, (event, { remainingMs = 900_000 } = {}) => {
        const endsAt = Date.now() + remainingMs;
        return run(event, { getRemainingTimeInMillis: () => endsAt - Date.now() });
      }),
      teardown: () => aws.stop(),
    };
  },
});
