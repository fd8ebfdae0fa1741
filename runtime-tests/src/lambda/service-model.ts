/**
 * Judges a request by AWS's own service models, two of them: the one inside the AWS SDK knows every field there is and
 * no ranges; the one of botocore knows ranges and patterns, and is older.
 *
 * `service-model.json` holds what the adapter uses of the inputs of four calls, without their texts; of `DelaySeconds`
 * and `VisibilityTimeout` the range is in the text only.
 *
 * @source botocore in Debian's awscli 2.9.19-1 (Apache-2.0): scheduler/2021-06-30, sqs/2012-11-05, lambda/2015-03-31;
 *   read 2026-11-21
 */
import { InvocationRequest$ } from "@aws-sdk/client-lambda";
import { CreateScheduleInput$ } from "@aws-sdk/client-scheduler";
import { ChangeMessageVisibilityRequest$, SendMessageRequest$ } from "@aws-sdk/client-sqs";
import botocore from "./service-model.json" with { type: "json" };

/** `sqs` sends a message, `visibility` has one delivered again. */
export type Service = "sqs" | "visibility" | "scheduler" | "lambda";
export type Fields = Readonly<Record<string, unknown>>;

/** A structure of an SDK's model: kind, namespace, name, traits, members, their types, how many are required. */
type SdkShape = readonly [
  3,
  string,
  string,
  unknown,
  readonly string[],
  readonly unknown[],
  number?,
];

/** A shape of botocore's model. `min` and `max`: of a number, or of a text's length. */
interface Shape {
  readonly type: string;
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly members?: Readonly<Record<string, Shape>>;
}

const MODELS: Readonly<Record<Service, { readonly sdk: unknown; readonly shape: Shape }>> = {
  sqs: { sdk: SendMessageRequest$, shape: botocore.SendMessageRequest },
  visibility: {
    sdk: ChangeMessageVisibilityRequest$,
    shape: botocore.ChangeMessageVisibilityRequest,
  },
  scheduler: { sdk: CreateScheduleInput$, shape: botocore.CreateScheduleInput },
  lambda: { sdk: InvocationRequest$, shape: botocore.InvocationRequest },
};

/** @returns what is wrong with a call's fields, as lines to read */
export const findFaults = (service: Service, fields: Fields): readonly string[] => [
  ...findStrangers(MODELS[service].sdk as SdkShape, fields),
  ...findMisfits(MODELS[service].shape, fields, service),
];

/** Fields that are missing, or that the service does not know. */
function findStrangers(model: SdkShape, fields: Fields): string[] {
  const [, , structure, , members, types, required = 0] = model;
  const missing = members.slice(0, required).filter((member) => fields[member] === undefined);
  const unknown = Object.keys(fields).filter((field) => !members.includes(field));
  const nested = members.flatMap((member, index) => {
    const [value, type] = [fields[member], types[index]];
    if (value === undefined || typeof type !== "function") return [];
    const inner: unknown = (type as () => unknown)();
    const isStructure = Array.isArray(inner) && inner[0] === 3;
    return isStructure ? findStrangers(inner as unknown as SdkShape, value as Fields) : [];
  });
  return [
    ...missing.map((name) => `${structure} needs ${name}`),
    ...unknown.map((name) => `${structure} has no ${name}`),
    ...nested,
  ];
}

/** Values of another type, or out of range. */
function findMisfits(shape: Shape, value: unknown, path: string): string[] {
  if (shape.type === "structure") {
    const fields = value as Fields;
    return Object.entries(shape.members ?? {}).flatMap(([name, member]) =>
      fields[name] === undefined ? [] : findMisfits(member, fields[name], `${path}.${name}`),
    );
  }
  return fits(shape, value) ? [] : [`${path} is ${JSON.stringify(value)}`];
}

function fits(shape: Shape, value: unknown): boolean {
  const { min = -Infinity, max = Infinity } = shape;
  if (shape.type === "integer") return Number.isInteger(value) && isWithin(Number(value), min, max);
  if (typeof value !== "string" || !isWithin(value.length, min, max)) return false;
  if (shape.enum !== undefined && !shape.enum.includes(value)) return false;
  return shape.pattern === undefined || new RegExp(`^(?:${shape.pattern})$`).test(value);
}

const isWithin = (size: number, min: number, max: number): boolean => size >= min && size <= max;
