/**
 * Writes docs/http.md from the route table.
 *
 *   npx tsx scripts/generate-http-reference.ts            write
 *   npx tsx scripts/generate-http-reference.ts --check    write nothing; exit 1 when the committed file is not fresh
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format } from "oxfmt";
import { type ErrorCode, statusOf } from "../packages/engine/src/core/error-codes.ts";
import type { HttpRoute } from "../packages/engine/src/http/route.ts";
import { ROUTE_REFERENCE } from "../packages/engine/src/http/route-reference.ts";
import { COMMON_ERRORS } from "../packages/engine/src/http/reference-entry.ts";
import { listRoutes } from "../packages/engine/src/http/routes.ts";
import type { RouteName } from "../packages/engine/src/http/route-types.ts";
import {
  divergedStep,
  errorRecord,
  eventView,
  instanceStatus,
  instanceView,
  stepView,
} from "../packages/engine/src/http/answer-shapes.ts";
import { INTRODUCTION } from "./http-reference-introduction.ts";

/** What of a valibot schema the reference reads. */
interface Inspected {
  readonly type: string;
  readonly entries?: Readonly<Record<string, Inspected>>;
  readonly item?: Inspected;
  readonly wrapped?: Inspected;
  readonly options?: readonly unknown[];
  readonly literal?: unknown;
  readonly pipe?: readonly Inspected[];
  readonly message?: unknown;
  /** The shape itself, where it comes to itself again. */
  readonly getter?: (input: unknown) => Inspected;
}

const FILE = fileURLToPath(new URL("../docs/http.md", import.meta.url));

/** Shapes that are written once, at the end, and named elsewhere. */
const NAMED: ReadonlyMap<Inspected, string> = new Map<Inspected, string>([
  [errorRecord, "ErrorRecord"],
  [divergedStep, "DivergedStep"],
  [instanceStatus, "InstanceStatus"],
  [instanceView, "InstanceView"],
  [stepView, "StepView"],
  [eventView, "EventView"],
]);

const text = await render();
const isFresh = existsSync(FILE) && readFileSync(FILE, "utf8") === text;
if (isFresh) {
  console.log("generate-http-reference: fresh");
} else if (process.argv.includes("--check")) {
  console.error("docs/http.md is not fresh; run npx tsx scripts/generate-http-reference.ts");
  process.exitCode = 1;
} else {
  writeFileSync(FILE, text);
  console.log("generate-http-reference: wrote docs/http.md");
}

async function render(): Promise<string> {
  const routes = listRoutes();
  const overview = [
    "| method | path | policy | what |",
    "| --- | --- | --- | --- |",
    ...routes.map(
      ([name, { method, path, policy, also }]) =>
        `| ${method} | \`${path}\` | ${also === undefined ? policy : `${policy}, ${also}`} | ${ROUTE_REFERENCE[name].summary} |`,
    ),
  ].join("\n");
  const shapes = [...NAMED].map(([shape, name]) => `type ${name} = ${toType(shape, "", true)};`);
  const parts = [
    INTRODUCTION,
    `Every route may also answer with: ${toErrorList(COMMON_ERRORS)}.`,
    "## Routes",
    overview,
    ...routes.map(([name, route]) => toSection(name, route)),
    "## Shapes",
    toCode(shapes.join("\n\n")),
  ];
  return (await format("http.md", `${parts.join("\n\n")}\n`, { printWidth: 100 })).code;
}

function toSection(name: RouteName, route: HttpRoute): string {
  const { summary, idempotent, output, errors } = ROUTE_REFERENCE[name];
  const fields: readonly (readonly [string, Inspected])[] = [
    ["Query", route.query],
    ["Body", route.body],
  ];
  const inputs = fields
    .filter(([, shape]) => Object.keys(shape.entries ?? {}).length > 0)
    .map(([title, shape]) => `type ${title} = ${toType(shape)};`);
  return [
    `### ${name}`,
    `\`${route.method} ${route.path}\` · policy \`${route.policy}\`${route.also === undefined ? "" : ` and \`${route.also}\``}`,
    summary,
    ...(idempotent === undefined ? [] : [`The header \`Idempotency-Key\` names ${idempotent}.`]),
    toCode([...inputs, `type Answer = ${toType(output)};`].join("\n\n")),
    `Errors: ${errors.length === 0 ? "none of its own" : toErrorList(errors)}.`,
  ].join("\n\n");
}

function toErrorList(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `[${code}](errors/${code}.md) (${statusOf(code)})`).join(", ");
}

function toCode(code: string): string {
  return `\`\`\`ts\n${code}\n\`\`\``;
}

/** The shape in TypeScript's notation. */
function toType(shape: Inspected, indent: string = "", isSpelledOut: boolean = false): string {
  const name = NAMED.get(shape);
  if (name !== undefined && !isSpelledOut) return name;
  if (shape.entries !== undefined) return toObjectType(shape.entries, indent);
  if (shape.item !== undefined) return `${toType(shape.item, indent)}[]`;
  if (shape.type === "nullable" && shape.wrapped !== undefined) {
    return `${toType(shape.wrapped, indent)} | null`;
  }
  if (shape.getter !== undefined) return toType(shape.getter(undefined), indent);
  if (shape.type === "record") return "Record<string, unknown>";
  if (shape.type === "intersect")
    return (shape.options ?? []).map((option) => `(${toOption(option)})`).join(" & ");
  if (shape.options !== undefined) return shape.options.map(toOption).join(" | ");
  if (shape.type === "literal") return JSON.stringify(shape.literal);
  // Numbers in a query string are text that is turned into a number.
  return shape.pipe?.some(({ type }) => type === "transform") === true ? "number" : shape.type;
}

/** A member of a picklist, or a shape of a union. */
function toOption(option: unknown): string {
  return typeof option === "object" ? toType(option as Inspected) : JSON.stringify(option);
}

function toObjectType(entries: Readonly<Record<string, Inspected>>, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(entries).map(([key, entry]) => {
    const isOptional = entry.type === "exact_optional";
    const shape = isOptional ? (entry.wrapped ?? entry) : entry;
    const check = shape.pipe?.find(({ type }) => type === "check")?.message;
    const comment = typeof check === "string" ? ` // ${check}` : "";
    return `${inner}${key}${isOptional ? "?" : ""}: ${toType(shape, inner)};${comment}`;
  });
  return `{\n${lines.join("\n")}\n${indent}}`;
}
