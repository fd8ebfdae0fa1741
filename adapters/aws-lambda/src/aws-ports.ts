/** The AWS services that wakes go through, as ports, and each on the AWS SDK, loaded when first used. */

/** A queue of wakes. Not exported, so that users' declarations do not need a name for it. */
type SqsQueue = {
  /** Sends one wake. @param delaySeconds 0–900, whole */
  (body: string, delaySeconds: number): Promise<void>;
  /** Delivers a message that is being processed again in `delaySeconds`, 0–43200. @default when the queue's visibility timeout is over */
  readonly redeliver: (receiptHandle: string, delaySeconds: number) => Promise<void>;
};
export type WakeQueue = ((...wake: Parameters<SqsQueue>) => Promise<void>) & Partial<SqsQueue>;

/** Schedules one wake at `at`, a whole minute in epoch milliseconds. Also resolves if the name is taken. */
type WakeSchedules = (name: string, at: number, body: string) => Promise<void>;

/** Options of the SDK's clients. @default what Lambda sets: its region and the function's role */
interface AwsClientOptions {
  readonly region?: string;
  readonly endpoint?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** The SDK has no time limit by default, but a wake must fit into the rest of an invocation. */
const BOUNDED = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 2000 },
};

/** Creates a standard queue with `@aws-sdk/client-sqs`. */
export function sqsQueue(queueUrl: string, options: AwsClientOptions = {}): SqsQueue {
  const load = once(async () => {
    const sdk = named(await import("@aws-sdk/client-sqs"));
    return { sdk, client: new sdk.SQSClient({ ...BOUNDED, ...options }) };
  });
  const send = async (MessageBody: string, DelaySeconds: number): Promise<void> => {
    const { client, sdk } = await load();
    await client.send(
      new sdk.SendMessageCommand({ QueueUrl: queueUrl, MessageBody, DelaySeconds }),
    );
  };
  const redeliver = async (ReceiptHandle: string, VisibilityTimeout: number): Promise<void> => {
    const { client, sdk } = await load();
    const input = { QueueUrl: queueUrl, ReceiptHandle, VisibilityTimeout };
    await client.send(new sdk.ChangeMessageVisibilityCommand(input));
  };
  return Object.assign(send, { redeliver });
}

/** The group must exist; the role lets EventBridge Scheduler send to the queue. */
export interface OneTimeSchedulesOptions extends AwsClientOptions {
  readonly groupName: string;
  readonly queueArn: string;
  readonly roleArn: string;
}

/** One-time schedules by `@aws-sdk/client-scheduler`. @source …/scheduler/latest/UserGuide/managing-schedule-delete, read 2026-11-21 */
export function oneTimeSchedules(options: OneTimeSchedulesOptions): WakeSchedules {
  const { groupName, queueArn, roleArn, ...client } = options;
  const load = once(async () => {
    const sdk = named(await import("@aws-sdk/client-scheduler"));
    return { sdk, scheduler: new sdk.SchedulerClient({ ...BOUNDED, ...client }) };
  });
  return async (name, at, body) => {
    const { sdk, scheduler } = await load();
    const command = new sdk.CreateScheduleCommand({
      Name: name,
      GroupName: groupName,
      // The SDK would create a token per call, and two processes would never share one.
      ClientToken: name,
      ScheduleExpression: `at(${new Date(at).toISOString().slice(0, 19)})`,
      ScheduleExpressionTimezone: "UTC",
      FlexibleTimeWindow: { Mode: "OFF" },
      ActionAfterCompletion: "DELETE",
      // Without its own retry policy: AWS tries for 24 hours, 185 times.
      Target: { Arn: queueArn, RoleArn: roleArn, Input: body },
    });
    await scheduler.send(command).catch(passConflict);
  };
}

/** If a schedule with that name exists, this minute has its wake already. */
function passConflict(error: unknown): void {
  if (!(error instanceof Error && error.name === "ConflictException")) throw error;
}

/** If a bundle has the SDK, which is CommonJS, in its own chunk, the module has only a default export: esbuild 0.28. */
const named = <T extends object>(module: T): T =>
  (module as { readonly default?: T }).default ?? module;

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | null = null;
  return () => (loaded ??= load());
}
