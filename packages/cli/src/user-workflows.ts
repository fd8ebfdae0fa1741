/** Workflows and topics that a module exports: one by one, or as the record that `createEngine` takes. */
import type { EngineOptions, Topic, WorkflowsRegistry } from "@escapement/engine";
import { RefusedError } from "./errors.ts";
import { type Exports, importUserModule } from "./user-module.ts";

/** The parts of a module that an engine needs. */
export interface UserWorkflows {
  /** By the key in their record, or by the name of their export. */
  readonly workflows: WorkflowsRegistry;
  readonly topics: NonNullable<EngineOptions<WorkflowsRegistry>["topics"]>;
}

/** @throws {RefusedError} MODULE_NOT_LOADED — it cannot be imported, or exports no workflow */
export async function loadWorkflows(path: string): Promise<UserWorkflows> {
  const found = findWorkflows(await importUserModule(path, "MODULE_NOT_LOADED"));
  if (Object.keys(found.workflows).length > 0) return found;
  throw new RefusedError(
    "MODULE_NOT_LOADED",
    `${path} exports no workflow: export what defineWorkflow gives, or a record of them as createEngine takes it`,
  );
}

function findWorkflows(exports: Exports): UserWorkflows {
  const values = Object.entries(exports);
  const lists = values.flatMap(([, value]) => (isRecord(value) ? Object.entries(value) : []));
  const entries: readonly (readonly [string, unknown])[] = [...lists, ...values];
  const workflows = new Map<unknown, readonly [string, Registered]>();
  for (const [key, value] of entries)
    if (isWorkflow(value) && !workflows.has(value)) workflows.set(value, [key, value]);
  const topics = entries.map(([, value]) => value).filter(isTopic);
  return { workflows: Object.fromEntries(workflows.values()), topics: [...new Set(topics)] };
}

type Registered = WorkflowsRegistry[string];

const isObject = (value: unknown): value is Exports => typeof value === "object" && value !== null;

/** Excludes lists of topics and records of workflows. */
const isRecord = (value: unknown): value is Exports =>
  isObject(value) && !isWorkflow(value) && !isTopic(value);

/** A result of `defineWorkflow`, or a class with a workflow's name. */
const isWorkflow = (value: unknown): value is Registered =>
  isObject(value) &&
  typeof value["name"] === "string" &&
  (typeof value["workflow"] === "function" ||
    (typeof value["run"] === "function" && isObject(value["stepDefaults"])));

/** A result of `defineTopic`. */
const isTopic = (value: unknown): value is Topic =>
  isObject(value) &&
  typeof value["name"] === "string" &&
  "schema" in value &&
  !("run" in value) &&
  !("workflow" in value) &&
  (value["schema"] === null || "~standard" in Object(value["schema"]));
