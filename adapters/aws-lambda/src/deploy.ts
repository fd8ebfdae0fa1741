/** The stack of a Lambda application, as data: nothing is read or written here. */
import { assertOption, assertPlatformOptions, type Deployment } from "@escapement/engine/adapter";
import stack from "./stack.json" with { type: "json" };

/**
 * Defaults and ranges are those of the parameters in `stack.json`: CloudFormation refuses what `deploy` refuses.
 *
 * `name`: 1–40 lower-case letters, digits and hyphens · `handler`: file and export · timeouts: of the function that takes
 * requests and of the one that ticks; no step can take longer · `apiAuth`: NONE opens the API to everybody, so authorize
 * in `http.authorizeRequest` · `safetyMinutes`: between two safety-net ticks · `maxConcurrency`: tick functions at once ·
 * `environment`: more variables for both, secrets as dynamic references · `subnetIds` and `securityGroupIds`: the VPC of both,
 * together or neither · `alarmTopicArn`: the SNS topic that is told of alarms.
 */
export interface DeployOptions {
  readonly name: string;
  readonly handler?: string;
  readonly runtime?: "nodejs22.x" | "nodejs24.x";
  readonly memoryMb?: number;
  readonly apiTimeoutSeconds?: number;
  readonly tickTimeoutSeconds?: number;
  readonly apiAuth?: "AWS_IAM" | "NONE";
  readonly safetyMinutes?: number;
  readonly maxConcurrency?: number;
  readonly logRetentionDays?: number;
  readonly alarmTopicArn?: string;
  readonly subnetIds?: readonly string[];
  readonly securityGroupIds?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

const OPTIONS: Readonly<Record<keyof DeployOptions, 1>> = {
  name: 1,
  handler: 1,
  runtime: 1,
  memoryMb: 1,
  apiTimeoutSeconds: 1,
  tickTimeoutSeconds: 1,
  apiAuth: 1,
  safetyMinutes: 1,
  maxConcurrency: 1,
  logRetentionDays: 1,
  alarmTopicArn: 1,
  subnetIds: 1,
  securityGroupIds: 1,
  environment: 1,
};

/**
 * A message must stay hidden as long as its function may run, or Lambda refuses the queue. Longer only delays a repeated wake.
 *
 * @source …/lambda/latest/dg/services-sqs-configure; github.com/getlift/lift/issues/388; read 2026-11
 */
const VISIBILITY_MARGIN_SECONDS = 30;

/**
 * Returns the template and its commands, in which `CODE_BUCKET` is a bucket of yours.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID, UNKNOWN_OPTION
 */
export function deploy(options: DeployOptions): Deployment {
  assertPlatformOptions(options, OPTIONS, "deploy");
  const { environment = {}, ...sizes } = options;
  const template = structuredClone(stack);
  const parameters = template.Parameters as Record<string, Parameter>;
  for (const [option, value] of Object.entries(sizes)) {
    const parameter = parameters[option.replace(/^./, (letter) => letter.toUpperCase())] ?? {};
    const text: unknown = Array.isArray(value) ? value.join(",") || null : value;
    assertOption(option, accepts(parameter, text), toExpected(parameter));
    parameter.Default = text;
  }
  assertOption("name", /^[a-z]/.test(options.name ?? ""), "a name of lower-case letters");
  const isWhole = (options.subnetIds === undefined) === (options.securityGroupIds === undefined);
  assertOption("securityGroupIds", isWhole, "both subnetIds and securityGroupIds, or neither");
  // Neither reserved by Lambda nor set by the stack.
  const isFree = (name: string): boolean => /^(?!AWS_|LAMBDA_|ESCAPEMENT_)[A-Za-z]\w+$/.test(name);
  const names = "names such as API_TOKEN; AWS_, LAMBDA_ and ESCAPEMENT_ are taken";
  assertOption("environment", Object.keys(environment).every(isFree), names);
  const { ApiFunction, TickFunction, WakeQueue } = template.Resources;
  for (const { Properties } of [ApiFunction, TickFunction])
    Object.assign(Properties.Environment.Variables, environment);
  WakeQueue.Properties.VisibilityTimeout =
    template.Parameters.TickTimeoutSeconds.Default + VISIBILITY_MARGIN_SECONDS;
  return toDeployment(options.name, `${JSON.stringify(template, null, 2)}\n`);
}

function toDeployment(name: string, text: string): Deployment {
  const path = `${name}.template.json`;
  const key = `${name}-$(sha256sum code.zip | cut -c1-16).zip`;
  const update = `aws cloudformation deploy --stack-name ${name} --template-file ${path}`;
  const overrides = `CodeBucket="$CODE_BUCKET" CodeKey="${key}"`;
  return {
    files: [{ path, text }],
    commands: [
      "(cd dist && zip -qr -X ../code.zip .)",
      `aws s3 cp code.zip "s3://$CODE_BUCKET/${key}"`,
      `${update} --capabilities CAPABILITY_IAM --parameter-overrides ${overrides}`,
    ],
  };
}

interface Parameter {
  Default?: string | number;
  readonly AllowedPattern?: string;
  readonly AllowedValues?: readonly number[];
  readonly MinValue?: number;
  readonly MaxValue?: number;
}

function accepts(parameter: Parameter, value: unknown): value is string | number {
  const { AllowedPattern, AllowedValues, MinValue, MaxValue } = parameter;
  if (AllowedValues !== undefined) return AllowedValues.includes(value as number);
  if (AllowedPattern !== undefined)
    return typeof value === "string" && new RegExp(AllowedPattern).test(value);
  const number = Number.isInteger(value) ? Number(value) : Number.NaN;
  return number >= (MinValue ?? Infinity) && number <= (MaxValue ?? 0);
}

function toExpected({ AllowedPattern, AllowedValues, MinValue, MaxValue }: Parameter): string {
  if (AllowedValues !== undefined) return `one of ${AllowedValues.join(", ")}`;
  if (AllowedPattern !== undefined) return `text like ${AllowedPattern}`;
  return `a whole number from ${MinValue} to ${MaxValue}`;
}
