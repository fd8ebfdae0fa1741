/** The template, checked with AWS's CloudFormation specification: properties at every depth, their types, and their references. */
import { loadAwsServiceSpecSync } from "@aws-cdk/aws-service-spec";
import { expect, test } from "vitest";
import { deploy } from "./deploy.ts";

interface Template {
  readonly Parameters: Readonly<Record<string, unknown>>;
  readonly Conditions: Readonly<Record<string, unknown>>;
  readonly Resources: Readonly<
    Record<
      string,
      { readonly Type: string; readonly Properties: Fields; readonly Condition?: string }
    >
  >;
}

type Choice = readonly [condition: string, unknown, unknown];
type Fields = Readonly<Record<string, unknown>>;
type Properties = Readonly<Record<string, { readonly type: Type; readonly required?: boolean }>>;

/** The part of the specification's types that is used. */
interface Type {
  readonly type: string;
  readonly reference?: { readonly $ref: string };
  readonly element?: Type;
  readonly types?: readonly Type[];
  readonly allowedValues?: readonly unknown[];
}

const SPECIFICATION = loadAwsServiceSpecSync();

/** @returns the errors, as readable lines */
function judge(template: Template): string[] {
  const findings: string[] = [];
  const demand = (holds: boolean, finding: string): void => {
    if (!holds) findings.push(finding);
  };
  const judgeValue = (type: Type, value: unknown, path: string): void => {
    const choice = isIntrinsic(value) ? (value as Fields)["Fn::If"] : undefined;
    if (Array.isArray(choice)) judgeChoice(type, choice as unknown as Choice, path);
    else if (isIntrinsic(value)) judgeReferences(value, path);
    else if (type.type === "ref") judgeFields(propertiesOf(type.reference), value as Fields, path);
    else if (type.type === "array")
      for (const one of value as readonly unknown[]) judgeValue(type.element ?? ANY, one, path);
    else if (type.type === "map")
      for (const [name, one] of Object.entries(value as Fields))
        judgeValue(type.element ?? ANY, one, `${path}.${name}`);
    else {
      demand(fits(type, value), `${path} is ${JSON.stringify(value)}`);
      judgeReferences(value, path);
    }
  };
  const judgeChoice = (type: Type, [condition, ...values]: Choice, path: string): void => {
    demand(condition in template.Conditions, `${path} depends on ${condition}`);
    for (const value of values) judgeValue(type, value, path);
  };
  const judgeFields = (properties: Properties, fields: Fields, path: string): void => {
    for (const [name, { required }] of Object.entries(properties))
      demand(required !== true || name in fields, `${path} needs ${name}`);
    for (const [name, value] of Object.entries(fields)) {
      const type = properties[name]?.type;
      demand(type !== undefined, `${path} has no ${name}`);
      if (type !== undefined) judgeValue(type, value, `${path}.${name}`);
    }
  };
  const judgeReferences = (value: unknown, path: string): void => {
    for (const [name, attribute] of findReferences(value))
      demand(isThere(template, name, attribute), `${path} refers to ${name} ${attribute}`);
  };
  for (const [name, { Type, Properties: fields, Condition }] of Object.entries(
    template.Resources,
  )) {
    const isKnown = Condition === undefined || Condition in template.Conditions;
    demand(isKnown, `${name} depends on ${Condition}`);
    judgeFields(resourcesOf(Type).only().properties, fields, name);
  }
  return findings;
}

const resourcesOf = (type: string) =>
  SPECIFICATION.lookup("resource", "cloudFormationType", "equals", type);

const propertiesOf = (reference: Type["reference"]): Properties =>
  SPECIFICATION.get("typeDefinition", reference?.$ref ?? "").properties;

const ANY: Type = { type: "json" };

function fits({ type, types = [], allowedValues }: Type, value: unknown): boolean {
  if (allowedValues !== undefined && !allowedValues.includes(value)) return false;
  if (type === "union") return types.some((one) => fits(one, value));
  if (type === "integer") return Number.isInteger(value);
  if (type === "string" || type === "boolean" || type === "number") return typeof value === type;
  return true;
}

const isIntrinsic = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  Object.keys(value).length === 1 &&
  /^(?:Ref|Fn::)/.test(Object.keys(value)[0] ?? "");

/** Names with their attribute, or null for the resource itself, wherever they are in a value. */
function findReferences(value: unknown): (readonly [string, string | null])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]): (readonly [string, string | null])[] => {
    if (key === "Ref") return [[String(inner), null]];
    if (key === "Fn::GetAtt") return [inner as [string, string]];
    if (key !== "Fn::Sub") return findReferences(inner);
    return [...String(inner).matchAll(/\$\{([^}]+)\}/g)].map(([, name]) => [name ?? "", null]);
  });
}

function isThere(
  { Parameters: parameters, Resources: resources }: Template,
  name: string,
  attribute: string | null,
): boolean {
  if (attribute === null)
    return name.startsWith("AWS::") || name in parameters || name in resources;
  const found = resourcesOf(resources[name]?.Type ?? "");
  return found.length === 1 && attribute in found.only().attributes;
}

const template = (): Template =>
  JSON.parse(
    deploy({ name: "orders", environment: { DATABASE_URL: "x" } }).files[0]?.text ?? "",
  ) as Template;

test("every property is one that AWS knows, of its type, and refers to what is there; none that it needs is missing", () => {
  expect(judge(template())).toEqual([]);
});

test.each([
  ["SafetyTick", { ScheduleExpression: 5 }, "SafetyTick.ScheduleExpression is 5"],
  ["SafetyTick", { Target: { Arn: "a" } }, "SafetyTick.Target needs RoleArn"],
  ["TickFunction", { RecursiveLoop: "allow" }, 'TickFunction.RecursiveLoop is "allow"'],
  ["TickFunction", { Role: { Ref: "NoRole" } }, "TickFunction.Role refers to NoRole null"],
  ["Wakes", { ScalingConfig: { Maximum: 1 } }, "Wakes.ScalingConfig has no Maximum"],
  [
    "TickFunction",
    { VpcConfig: { "Fn::If": ["IsPublic", { Subnets: [] }, { Ref: "AWS::NoValue" }] } },
    "TickFunction.VpcConfig has no Subnets",
  ],
  [
    "DeadLetterAlarm",
    { AlarmActions: { "Fn::If": ["HasTopic", [], []] } },
    "DeadLetterAlarm.AlarmActions depends on HasTopic",
  ],
  ["WakeQueue", { Url: 1 }, "WakeQueue has no Url"],
  [
    "WakeRole",
    {
      Policies: [
        { PolicyName: "p", PolicyDocument: { A: { "Fn::GetAtt": ["WakeQueue", "Name"] } } },
      ],
    },
    "WakeRole.Policies.PolicyDocument refers to WakeQueue Name",
  ],
] as const)("the judge finds what is wrong: %s %j", (name, change, finding) => {
  const sound = template();
  const resource = sound.Resources[name];
  const Properties = { ...resource?.Properties, ...change };
  const Resources = {
    ...sound.Resources,
    [name]: { ...resource, Type: resource?.Type ?? "", Properties },
  };
  expect(judge({ ...sound, Resources })).toContain(finding);
});
