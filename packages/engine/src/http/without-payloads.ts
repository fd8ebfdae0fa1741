/** @module Answers for a caller who may read instances but not their payloads. Loaded with the first such call. */
import type { ErrorRecord } from "../core/model/records.ts";
import type { HistoryOutput, InstanceView } from "../ports/instance-views.ts";
import type { EngineService } from "../ports/service.ts";

type Verbs = EngineService;
type Verb = {
  [Name in keyof Verbs]: Verbs[Name] extends (...args: never) => unknown ? Name : never;
}[keyof Verbs];
type AnswerOf<Name extends Verb> = Awaited<ReturnType<Verbs[Name]>>;

const viewOnly = <View extends InstanceView>(view: View): View => {
  const { output: _output, memo: _memo, error, ...open } = view.details;
  const details = error === undefined ? open : { ...open, error: hideError(error) };
  return { ...view, details };
};

const page = <Page extends { readonly instances: readonly InstanceView[] }>(found: Page): Page => ({
  ...found,
  instances: found.instances.map(viewOnly),
});

/** An answer that contains no payload. */
const asIs = <Answer>(answer: Answer): Answer => answer;

/** Each verb's answer without payloads. A new verb must be decided here: without an entry, this does not compile. */
const WITHOUT: { readonly [Name in Verb]: (answer: AnswerOf<Name>) => AnswerOf<Name> } = {
  createInstance: viewOnly,
  createBatch: page,
  getInstance: viewOnly,
  describeInstance: ({ params: _params, ...description }) => viewOnly(description),
  listInstances: page,
  findInstances: page,
  control: viewOnly,
  restartOrCreate: viewOnly,
  rewind: viewOnly,
  fork: viewOnly,
  update: viewOnly,
  sendEvent: viewOnly,
  completeCallback: viewOnly,
  getReply: ({ answered }) => ({ answered }),
  listHistory: hideHistory,
  readProgress: (progress) => ({
    ...progress,
    entries: progress.entries.map((entry) => ({ ...entry, value: null })),
  }),
  cancelBulk: asIs,
  countInstances: asIs,
  deleteInstance: asIs,
  emit: asIs,
  explainInstance: asIs,
  getBulk: asIs,
  listBulks: asIs,
  listCallbacks: asIs,
  listLeases: asIs,
  listWaiters: asIs,
  listWorkflows: asIs,
  measureActivity: asIs,
  previewBulk: asIs,
  startBulk: asIs,
  tick: asIs,
  verifyCallback: asIs,
};

/**
 * The service without outputs, memos, results of steps, payloads of events, replies, values of progress, and details of errors. Names and
 * messages of errors stay, and so do tags.
 */
export function withoutPayloads(service: EngineService): EngineService {
  const isVerb = (name: string | symbol): name is Verb => Object.hasOwn(WITHOUT, name);
  return new Proxy(service, {
    get(target, name) {
      const verb: unknown = isVerb(name) ? Reflect.get(target, name, target) : undefined;
      if (!isVerb(name) || typeof verb !== "function") return undefined;
      const hide = WITHOUT[name] as (answer: unknown) => unknown;
      return (...args: unknown[]) => {
        const answer: unknown = Reflect.apply(verb, target, args);
        return answer instanceof Promise ? answer.then(hide) : hide(answer);
      };
    },
  });
}

function hideError(error: ErrorRecord): ErrorRecord {
  const cause = error.cause === null ? null : hideError(error.cause);
  return { ...error, details: null, cause };
}

function hideHistory(history: HistoryOutput): HistoryOutput {
  const steps = history.steps.map((step) => ({
    ...step,
    result: null,
    error: step.error === null ? null : hideError(step.error),
  }));
  const events = history.events.map((event) => ({
    ...event,
    payload: null,
  }));
  return { ...history, steps, events };
}
