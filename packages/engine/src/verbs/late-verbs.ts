/** The verbs and the bindings of an engine, whose code is loaded when one of them is first called: most ticks call none. */
import type { Workflow } from "../authoring/bindings.ts";
import { type Late, late } from "../core/late.ts";
import type * as BindingCode from "./bindings.ts";
import type { CreateOne } from "./create.ts";
import type { EngineContext } from "./context.ts";
import type { PartsChoice } from "./parts.ts";
import type * as VerbCode from "./verbs.ts";

const verbCode = late(() => import("./verbs.ts"));
const bindingCode = late(() => import("./bindings.ts"));

const VERBS: Readonly<Record<Exclude<keyof BindingCode.BindingService, "refuseWait">, 1>> = {
  createInstance: 1,
  createBatch: 1,
  getInstance: 1,
  describeInstance: 1,
  explainInstance: 1,
  control: 1,
  restartOrCreate: 1,
  rewind: 1,
  fork: 1,
  update: 1,
  deleteInstance: 1,
  awaitResult: 1,
  sendEvent: 1,
  getReply: 1,
  readProgress: 1,
  completeCallback: 1,
  emit: 1,
  listWaiters: 1,
  verifyCallback: 1,
};

const BINDING: Readonly<Record<keyof Workflow, 1>> = {
  create: 1,
  execute: 1,
  createBatch: 1,
  restartOrCreate: 1,
  get: 1,
};

type Method = (...input: never[]) => unknown;

/** Creates methods that load their code first. Once it is there, a call of one is a call of the method, in the same turn. */
const createLate = <TCode, T extends object>(
  names: Readonly<Partial<Record<keyof T, 1>>>,
  code: Late<TCode>,
  create: (code: TCode) => T,
): T => {
  let made: T | null = null;
  const methods: Partial<Record<keyof T, Method>> = {};
  for (const name in names)
    methods[name] = (...input) => {
      const call = (loaded: TCode): unknown =>
        ((made ??= create(loaded))[name] as Method)(...input);
      const loaded = code();
      if (!(loaded instanceof Promise)) return call(loaded);
      // The caller may reuse them meanwhile.
      input = input.map(copyOptions);
      return loaded.then(call);
    };
  return methods as T;
};

const copyOptions = (given: never): never =>
  Object.getPrototypeOf(Object(given)) === Object.prototype
    ? ({ ...(given as object) } as never)
    : given;

/** As `createVerbs`. */
export const createLateVerbs = (
  context: EngineContext,
  createOne?: CreateOne,
): BindingCode.BindingService =>
  createLate<typeof VerbCode, BindingCode.BindingService>(VERBS, verbCode, ({ createVerbs }) =>
    createVerbs(context, createOne),
  );

/** As `createBindings`. */
export const createLateBindings: PartsChoice["createBindings"] = (service, registry) =>
  Object.fromEntries(
    [...registry.values()].map(({ bindingKey, name }) => [
      bindingKey,
      toBinding(({ createBinding }) => createBinding(service, name)),
    ]),
  );

/** As `createMissingBinding`. */
export const createLateMissing: PartsChoice["createMissingBinding"] = (...missing) =>
  toBinding(({ createMissingBinding }) => createMissingBinding(...missing));

const toBinding = (create: (code: typeof BindingCode) => Workflow): Workflow =>
  createLate(BINDING, bindingCode, create);
