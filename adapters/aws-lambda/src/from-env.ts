/** Options from the variables of the stack that `deploy` writes. */
import { assertOption } from "@escapement/engine/adapter";
import { oneTimeSchedules, sqsQueue } from "./aws-ports.ts";

/**
 * Reads the options of `deploy`'s stack: `createLambdaPlatform(fromEnv(process.env))`.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID — a variable is not set
 */
export function fromEnv(env: Readonly<Record<string, string | undefined>>): {
  readonly queue: ReturnType<typeof sqsQueue>;
  readonly schedules: ReturnType<typeof oneTimeSchedules>;
  readonly namespace: string;
} {
  const demand = (name: string): string => {
    const value = env[name] ?? "";
    assertOption(name, value !== "", "a variable that the stack of `deploy` sets");
    return value;
  };
  return {
    queue: sqsQueue(demand("ESCAPEMENT_QUEUE_URL")),
    schedules: oneTimeSchedules({
      groupName: demand("ESCAPEMENT_SCHEDULE_GROUP"),
      queueArn: demand("ESCAPEMENT_QUEUE_ARN"),
      roleArn: demand("ESCAPEMENT_SCHEDULE_ROLE_ARN"),
    }),
    namespace: demand("ESCAPEMENT_NAMESPACE"),
  };
}
