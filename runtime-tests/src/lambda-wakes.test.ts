/** What the Lambda adapter asks AWS for, by the real AWS SDK. */
import { createLambdaPlatform, oneTimeSchedules, sqsQueue } from "@escapement/aws-lambda";
import { toWakeMessage } from "@escapement/engine/adapter";
import { afterEach, describe, expect, test } from "vitest";
import { QUEUE_ARN, QUEUE_URL, ROLE_ARN } from "./lambda/events.ts";
import { type FakeAws, startFakeAws } from "./lambda/fake-aws.ts";
import { findFaults } from "./lambda/service-model.ts";

const fakes: FakeAws[] = [];
afterEach(async () => {
  for (const fake of fakes.splice(0)) await fake.stop();
});

/** For one test. */
async function openFakeAws(): Promise<FakeAws> {
  const fake = await startFakeAws();
  fakes.push(fake);
  return fake;
}

const clientOf = ({ url: endpoint }: FakeAws) => ({
  region: "eu-central-1",
  endpoint,
  credentials: { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "example" },
});

const portsOf = (
  aws: FakeAws,
): Required<Pick<Parameters<typeof createLambdaPlatform>[0], "queue" | "schedules">> => {
  const client = clientOf(aws);
  const names = { groupName: "wakes", queueArn: QUEUE_ARN, roleArn: ROLE_ARN };
  return {
    queue: sqsQueue(QUEUE_URL, client),
    schedules: oneTimeSchedules({ ...names, ...client }),
  };
};

describe("what AWS is asked", () => {
  test("a wake within 15 minutes is a delayed message; beyond, a schedule two minutes early that deletes itself", async () => {
    const fake = await openFakeAws();
    const now = Date.parse("2026-11-21T12:00:20Z");
    const platform = createLambdaPlatform({
      ...portsOf(fake),
      namespace: "orders",
      now: () => now,
    });
    const hint = { workflowName: null, instanceId: null, reason: "wake" } as const;
    await platform.wakeIn(Date.parse("2026-11-21T13:30:45Z") - now, hint);
    await platform.wakeIn(5_400, hint);
    const minute = Date.parse("2026-11-21T13:28:00Z");
    const name = `orders-${minute / 60_000}`;
    expect(fake.sent).toMatchObject([
      {
        service: "scheduler",
        fields: {
          Name: name,
          ClientToken: name,
          GroupName: "wakes",
          ScheduleExpression: "at(2026-11-21T13:28:00)",
          ScheduleExpressionTimezone: "UTC",
          FlexibleTimeWindow: { Mode: "OFF" },
          ActionAfterCompletion: "DELETE",
          Target: {
            Arn: QUEUE_ARN,
            RoleArn: ROLE_ARN,
            Input: `{"kind":"tick","hopCount":0,"at":${minute},"thenAt":null,"isOfRequest":false,"workflows":[],"forwardCount":0}`,
          },
        },
      },
      { service: "sqs", fields: { QueueUrl: QUEUE_URL, DelaySeconds: 6 } },
    ]);
  });

  test("two processes arm the same minute once, and the one that comes second takes it for armed", async () => {
    const fake = await openFakeAws();
    const hint = { workflowName: null, instanceId: null, reason: "wake" } as const;
    for (let process = 0; process < 2; process += 1)
      await createLambdaPlatform({ ...portsOf(fake), now: () => 0 }).wakeIn(7_200_000, hint);
    expect(fake.sent).toHaveLength(1);
  });

  test("without schedules a far wake is chained in steps of 15 minutes, and no wake is sent without a delay", async () => {
    const fake = await openFakeAws();
    const platform = createLambdaPlatform({ queue: portsOf(fake).queue });
    const hint = { workflowName: null, instanceId: null, reason: "wake" } as const;
    await platform.wakeIn(86_400_000, hint);
    await platform.wakeIn(0, hint);
    expect(fake.sent.map(({ fields }) => fields["DelaySeconds"])).toEqual([900, 1]);
  });

  test("a hand-over carries its hops and no delay, and wakes asked for at once share one message", async () => {
    const fake = await openFakeAws();
    const platform = createLambdaPlatform(portsOf(fake));
    const hint = { workflowName: null, instanceId: null, reason: "more", hopCount: 7 } as const;
    await Promise.all([platform.wakeNow(hint), platform.wakeNow(hint)]);
    const MessageBody = toWakeMessage({ hopCount: 7 });
    expect(fake.sent).toEqual([
      { service: "sqs", fields: { QueueUrl: QUEUE_URL, MessageBody, DelaySeconds: 0 } },
    ]);
  });

  test("a message that failed is asked for again by its receipt, the later the more often it came", async () => {
    const fake = await openFakeAws();
    const { redeliver } = createLambdaPlatform(portsOf(fake));
    const toRecord = (count: string) => ({
      messageId: "m",
      body: "{}",
      receiptHandle: `receipt-${count}`,
      attributes: { ApproximateReceiveCount: count },
    });
    for (const count of ["1", "4", "99"]) await redeliver(toRecord(count));
    expect(fake.redelivered).toEqual([
      { QueueUrl: QUEUE_URL, ReceiptHandle: "receipt-1", VisibilityTimeout: 1 },
      { QueueUrl: QUEUE_URL, ReceiptHandle: "receipt-4", VisibilityTimeout: 8 },
      { QueueUrl: QUEUE_URL, ReceiptHandle: "receipt-99", VisibilityTimeout: 30 },
    ]);
    fake.isDown = true;
    await expect(redeliver(toRecord("1"))).rejects.toMatchObject({ code: "WAKE_FAILED" });
  });

  test("a wake that AWS refuses is WAKE_FAILED", async () => {
    const fake = await openFakeAws();
    fake.isDown = true;
    const hint = { workflowName: null, instanceId: null, reason: "create" } as const;
    const asked = createLambdaPlatform(portsOf(fake)).wakeNow(hint);
    await expect(asked).rejects.toMatchObject({ code: "WAKE_FAILED" });
  });
});

describe("the fake AWS refuses what AWS would", () => {
  const message = { QueueUrl: QUEUE_URL, MessageBody: "{}" };
  const schedule = {
    Name: "orders-1",
    ScheduleExpression: "at(2026-11-21T13:28:00)",
    FlexibleTimeWindow: { Mode: "OFF" },
    Target: { Arn: QUEUE_ARN, RoleArn: ROLE_ARN },
  };

  test.each([
    ["sqs", { ...message, DelaySeconds: 901 }, ["sqs.DelaySeconds is 901"]],
    ["sqs", { ...message, DelaySeconds: 1.5 }, ["sqs.DelaySeconds is 1.5"]],
    ["sqs", { QueueUrl: QUEUE_URL }, ["SendMessageRequest needs MessageBody"]],
    ["scheduler", { ...schedule, Name: "a/b" }, ['scheduler.Name is "a/b"']],
    ["scheduler", { ...schedule, ClientToken: "a.b" }, ['scheduler.ClientToken is "a.b"']],
    ["scheduler", { ...schedule, Rate: 1 }, ["CreateScheduleInput has no Rate"]],
    [
      "scheduler",
      { ...schedule, Target: { ...schedule.Target, RetryPolicy: { MaximumRetryAttempts: 186 } } },
      ["scheduler.Target.RetryPolicy.MaximumRetryAttempts is 186"],
    ],
    [
      "lambda",
      { FunctionName: "tick", InvocationType: "Later" },
      ['lambda.InvocationType is "Later"'],
    ],
    [
      "visibility",
      { QueueUrl: QUEUE_URL, ReceiptHandle: "r", VisibilityTimeout: 43_201 },
      ["visibility.VisibilityTimeout is 43201"],
    ],
    ["sqs", { ...message, DelaySeconds: 900 }, []],
    ["scheduler", { ...schedule, ActionAfterCompletion: "DELETE" }, []],
  ] as const)("%s %j: %j", (service, fields, faults) => {
    expect(findFaults(service, fields)).toEqual(faults);
  });
});
