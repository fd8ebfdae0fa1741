import { expect, test } from "vitest";
import { deploy, type DeployOptions } from "./deploy.ts";

interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

interface Policy {
  readonly PolicyDocument?: {
    readonly Statement: readonly {
      readonly Action: readonly string[];
      readonly Resource: unknown;
    }[];
  };
}

function templateOf(options: DeployOptions) {
  const [file] = deploy(options).files;
  return JSON.parse(file?.text ?? "") as {
    readonly Parameters: Readonly<Record<string, { readonly Default?: unknown }>>;
    readonly Resources: Readonly<Record<string, Resource>>;
  };
}

test("only the tick function may call itself, and a message stays hidden little longer than it may run", () => {
  const { Resources: resources } = templateOf({ name: "orders", tickTimeoutSeconds: 120 });
  expect(resources["TickFunction"]?.Properties).toHaveProperty("RecursiveLoop", "Allow");
  expect(resources["ApiFunction"]?.Properties).not.toHaveProperty("RecursiveLoop");
  expect(resources["WakeQueue"]?.Properties).toMatchObject({ VisibilityTimeout: 150 });
  const unset = templateOf({ name: "orders" }).Resources["WakeQueue"]?.Properties;
  expect(unset).toMatchObject({ VisibilityTimeout: 330 });
});

test("a wake that fails is tried for longer than it takes the safety net to send another", () => {
  const { Parameters: parameters, Resources: resources } = templateOf({ name: "orders" });
  const policy = resources["WakeQueue"]?.Properties["RedrivePolicy"];
  const { maxReceiveCount } = policy as { readonly maxReceiveCount: number };
  // Every 30 s after the first five.
  const triedSeconds = (maxReceiveCount - 5) * 30;
  expect(triedSeconds).toBeGreaterThan(60 * Number(parameters["SafetyMinutes"]?.Default));
});

test("S9-018 the net asks the database once an hour, beside schedules that lose nothing", () => {
  const { Parameters: parameters, Resources: resources } = templateOf({ name: "orders" });
  expect(parameters["SafetyMinutes"]?.Default).toBe(60);
  expect(resources["SafetyTick"]?.Properties).toMatchObject({
    ScheduleExpression: { "Fn::Sub": "rate(${SafetyMinutes} minutes)" },
  });
});

test("each role may do what its function does, to its own queue, schedules and log, and no more", () => {
  const { Resources: resources } = templateOf({ name: "orders" });
  const allowed = (role: string): string[] => {
    const policies = resources[role]?.Properties["Policies"] as readonly Policy[];
    return policies.flatMap(({ PolicyDocument }) =>
      (PolicyDocument?.Statement ?? []).flatMap(({ Action, Resource: on }) => {
        expect(on).not.toBe("*");
        return Action;
      }),
    );
  };
  expect(allowed("ApiRole").toSorted()).toEqual([
    "logs:CreateLogStream",
    "logs:PutLogEvents",
    "sqs:SendMessage",
  ]);
  expect(allowed("TickRole").toSorted()).toEqual([
    "iam:PassRole",
    "logs:CreateLogStream",
    "logs:PutLogEvents",
    "scheduler:CreateSchedule",
    "sqs:ChangeMessageVisibility",
    "sqs:DeleteMessage",
    "sqs:GetQueueAttributes",
    "sqs:ReceiveMessage",
    "sqs:SendMessage",
  ]);
});

test("every alarm tells the topic, and every log ends: none of what fails is only written down", () => {
  const alarmTopicArn = "arn:aws:sns:eu-central-1:123456789012:alarms";
  const { Parameters: parameters, Resources: resources } = templateOf({
    name: "orders",
    alarmTopicArn,
    logRetentionDays: 14,
  });
  expect(parameters).toMatchObject({
    AlarmTopicArn: { Default: alarmTopicArn },
    LogRetentionDays: { Default: 14 },
  });
  const ofType = (type: string) =>
    Object.values(resources).flatMap(({ Type, Properties }) => (Type === type ? [Properties] : []));
  expect(ofType("AWS::CloudWatch::Alarm").map(({ MetricName }) => MetricName)).toEqual([
    "Failures",
    "Errors",
    "Errors",
    "ApproximateAgeOfOldestMessage",
    "ApproximateNumberOfMessagesVisible",
  ]);
  for (const { AlarmActions } of ofType("AWS::CloudWatch::Alarm"))
    expect(AlarmActions).toMatchObject({
      "Fn::If": ["HasAlarmTopic", [{ Ref: "AlarmTopicArn" }], {}],
    });
  const RetentionInDays = { Ref: "LogRetentionDays" };
  expect(ofType("AWS::Logs::LogGroup")).toEqual([{ RetentionInDays }, { RetentionInDays }]);
  for (const { FilterPattern } of ofType("AWS::Logs::MetricFilter"))
    for (const event of ["invocation.failed", "wake.failed", "wake.unreadable"])
      expect(FilterPattern).toContain(`?"${event}"`);
});

test("both functions run in the VPC that is given", () => {
  const { Parameters: parameters, Resources: resources } = templateOf({
    name: "orders",
    subnetIds: ["subnet-0a1b2c3d", "subnet-4e5f6071"],
    securityGroupIds: ["sg-0a1b2c3d"],
  });
  expect(parameters).toMatchObject({
    SubnetIds: { Default: "subnet-0a1b2c3d,subnet-4e5f6071" },
    SecurityGroupIds: { Default: "sg-0a1b2c3d" },
  });
  for (const name of ["ApiFunction", "TickFunction"])
    expect(resources[name]?.Properties["VpcConfig"]).toMatchObject({
      "Fn::If": ["IsInVpc", {}, {}],
    });
});

test("variables go to both functions, and options into the parameters", () => {
  const environment = { DATABASE_URL: "{{resolve:secretsmanager:database}}" };
  const { Parameters: parameters, Resources: resources } = templateOf({
    name: "orders",
    apiAuth: "NONE",
    safetyMinutes: 15,
    environment,
  });
  for (const name of ["ApiFunction", "TickFunction"])
    expect(resources[name]?.Properties).toMatchObject({ Environment: { Variables: environment } });
  expect(parameters).toMatchObject({
    Name: { Default: "orders" },
    ApiAuth: { Default: "NONE" },
    SafetyMinutes: { Default: 15 },
  });
  expect(templateOf({ name: "other" }).Parameters["SafetyMinutes"]).toHaveProperty("Default", 60);
});

test.each([
  ["name", { name: "Orders; rm" }],
  ["name", {} as DeployOptions],
  ["handler", { name: "orders", handler: "index" }],
  ["runtime", { name: "orders", runtime: "nodejs20.x" as "nodejs22.x" }],
  ["tickTimeoutSeconds", { name: "orders", tickTimeoutSeconds: 901 }],
  ["apiTimeoutSeconds", { name: "orders", apiTimeoutSeconds: 3 }],
  ["memoryMb", { name: "orders", memoryMb: Number.NaN }],
  ["apiAuth", { name: "orders", apiAuth: "none" as "NONE" }],
  ["safetyMinutes", { name: "orders", safetyMinutes: 0.5 }],
  ["maxConcurrency", { name: "orders", maxConcurrency: 1 }],
  ["logRetentionDays", { name: "orders", logRetentionDays: 31 }],
  ["alarmTopicArn", { name: "orders", alarmTopicArn: "alarms" }],
  ["subnetIds", { name: "orders", subnetIds: [], securityGroupIds: ["sg-1"] }],
  ["subnetIds", { name: "orders", subnetIds: ["vpc-1"], securityGroupIds: ["sg-1"] }],
  ["securityGroupIds", { name: "orders", subnetIds: ["subnet-1"] }],
  ["environment", { name: "orders", environment: { AWS_REGION: "x" } }],
] as const)("the option %s is refused by name when it cannot be used", (option, options) => {
  expect(() => deploy(options)).toThrow(
    expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID", details: { option } }),
  );
});

test("a refusal says what an option may be, and an unknown one is refused by its name", () => {
  expect(() => deploy({ name: "orders", maxConcurrency: 1 })).toThrow(
    'the option "maxConcurrency" is not usable; expected a whole number from 2 to 1000',
  );
  expect(() => deploy({ name: "orders", minutes: 5 } as DeployOptions)).toThrow(
    '"minutes" is not an option of deploy; expected name, handler, runtime',
  );
});
