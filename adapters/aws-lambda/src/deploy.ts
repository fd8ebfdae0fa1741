/** The stack that a Lambda application needs, as data: nothing is read and nothing is written here. */
import { demandOption, type Deployment } from "@escapement/engine/deploy";
import stack from "./stack.json" with { type: "json" };

/**
 * Defaults and ranges are those of the parameters in `stack.json`: CloudFormation refuses what `deploy` refuses.
 *
 * `name`: 1–40 lower-case letters, digits and hyphens · `handler`: file and export · timeouts: of the function that takes
 * requests and of the one that ticks; no step can take longer · `apiAuth`: NONE opens the API to everybody, so authorize
 * in `http.authorizeRequest` · `safetyMinutes`: between two safety-net ticks · `maxConcurrency`: tick functions at once ·
 * `environment`: more variables for both, secrets as dynamic references.
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
  readonly environment?: Readonly<Record<string, string>>;
}

/** In its commands `CODE_BUCKET` names a bucket of yours. @throws {WorkflowError} DEPLOY_OPTIONS_INVALID */
export function deploy(options: DeployOptions): Deployment {
  const { environment = {}, ...sizes } = options;
  const template = structuredClone(stack);
  const parameters = template.Parameters as Record<string, Parameter>;
  for (const [option, value] of Object.entries(sizes)) {
    const parameter = parameters[option.replace(/^./, (letter) => letter.toUpperCase())];
    demandOption(option, parameter !== undefined && accepts(parameter, value));
    parameter.Default = value;
  }
  demandOption("name", /^[a-z]/.test(options.name ?? ""));
  // Neither what Lambda reserves nor what the stack sets.
  const isFree = (name: string): boolean => /^(?!AWS_|LAMBDA_|ESCAPEMENT_)[A-Za-z]\w+$/.test(name);
  demandOption("environment", Object.keys(environment).every(isFree));
  const { ApiFunction, TickFunction, WakeQueue } = template.Resources;
  for (const { Properties } of [ApiFunction, TickFunction])
    Object.assign(Properties.Environment.Variables, environment);
  // At least six times the function's timeout: …/lambda/latest/dg/services-sqs-configure, read 2026-11-21.
  WakeQueue.Properties.VisibilityTimeout = 6 * template.Parameters.TickTimeoutSeconds.Default;
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
  readonly MinValue?: number;
  readonly MaxValue?: number;
}

function accepts({ AllowedPattern, MinValue, MaxValue }: Parameter, value: unknown): boolean {
  if (AllowedPattern !== undefined)
    return typeof value === "string" && new RegExp(AllowedPattern).test(value);
  return (
    typeof value === "number" &&
    Number.isInteger(value) &&
    value >= (MinValue ?? Infinity) &&
    value <= (MaxValue ?? 0)
  );
}
