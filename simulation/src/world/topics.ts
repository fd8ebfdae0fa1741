/** What topics have truly been told and asked, by the calls of the store: each message, and each wait with its place among them. */
import { saidBy } from "../author-leaves.ts";
import type { Books } from "./books.ts";
import type {
  Commit,
  DeliverRequest,
  DeliverResult,
  EmitRequest,
  EmitResult,
} from "./engine-types.ts";
import { runIdOf, type StepChange } from "./facts.ts";
import type { StoreCall } from "./network.ts";

/** A message that was stored. */
export interface SaidMessage {
  readonly rowId: string;
  readonly messageId: string | null;
  readonly text: string;
  readonly at: number;
}

/** A wait as the first commit that told of it has it. */
export interface TopicWait {
  readonly runId: string;
  /** How often the run had been brought back or retried. */
  readonly life: number;
  readonly stepKey: string;
  readonly topic: string;
  readonly openedAt: number;
  /** Messages before it: those of commits in the same trip may count or not. */
  readonly passed: readonly [min: number, max: number];
  /** Messages count that were emitted then or later; null: those after it. */
  readonly sinceAt: number | null;
  /** When a trip first handed it a message. */
  handedAt: number;
}

export class Topics {
  readonly messages: Map<string, SaidMessage[]> = new Map();
  /** By step row id. */
  readonly waits: Map<string, TopicWait> = new Map();
  /** Topics of which a claim has handed on what an emitter had left. */
  readonly restsHanded: Set<string> = new Set();
  readonly #books: Books;

  constructor(books: Books) {
    this.#books = books;
  }

  messagesOf(topic: string): SaidMessage[] {
    const messages = this.messages.get(topic) ?? [];
    this.messages.set(topic, messages);
    return messages;
  }

  /** The messages that a wait may get: the first that it has not passed. */
  entitlementOf({ topic, passed, sinceAt }: TopicWait): readonly SaidMessage[] {
    const messages = this.messagesOf(topic);
    const [min, max] = passed;
    const late = messages.slice(0, max).find(({ at }) => sinceAt !== null && at >= sinceAt);
    return late === undefined ? messages.slice(min, max + 1) : [late];
  }

  /** Somebody outside emits, or somebody hands on. */
  note({ verb, parameters }: StoreCall, answer: EmitResult | DeliverResult, at: number): void {
    if (verb === "deliver") return this.#handed(parameters[0] as DeliverRequest, at);
    const { topic, messageRowId, messageId, message } = parameters[0] as EmitRequest;
    const { kind, sequence } = answer as EmitResult;
    const before = this.messagesOf(topic);
    const isKnown = before.some(({ rowId }) => rowId === messageRowId);
    const taken = isKnown ? undefined : this.#findById(topic, messageId);
    const again = taken?.text === message ? "duplicate" : "conflict";
    if (kind !== (taken === undefined ? "emitted" : again))
      this.#books.report("topics", `a message of ${topic} with the id ${messageId} was ${kind}`);
    if (!isKnown && taken === undefined)
      before.push({ rowId: messageRowId, messageId, text: message, at });
    if (sequence !== before.length)
      this.#books.report("topics", `${topic} counts ${sequence} messages of ${before.length}`);
  }

  #findById(topic: string, id: string | null): SaidMessage | undefined {
    return id === null
      ? undefined
      : this.messagesOf(topic).find(({ messageId }) => messageId === id);
  }

  #handed({ topic, waitIds }: DeliverRequest, at: number): void {
    if (waitIds.length === 0) this.restsHanded.add(topic);
    for (const id of waitIds) {
      const wait = this.waits.get(id);
      if (wait !== undefined) wait.handedAt = Math.min(wait.handedAt, at);
    }
  }

  /** Commits of one trip were applied, each for the first time. */
  committed(commits: readonly Commit[], at: number): void {
    const opened: { readonly runId: string; readonly change: StepChange; readonly min: number }[] =
      [];
    for (const commit of commits) {
      this.#said(commit, at);
      for (const change of commit.changes)
        if (change.kind === "step" && isOpenWait(change)) {
          const min = this.messagesOf(topicOf(change)).length;
          opened.push({ runId: runIdOf(commit.run), change, min });
        }
    }
    for (const { runId, change, min } of opened) this.#open(runId, change, { min, at });
  }

  /** With each step that emits there is its message, unless its id is taken. */
  #said({ run, changes }: Commit, at: number): void {
    const said = changes.filter((change) => change.kind === "messageEmitted");
    for (const { topic, rowId, messageId, message: text, stepKey } of said) {
      const payload = (JSON.parse(text) as { readonly payload: unknown }).payload;
      if (payload !== saidBy(stepKey))
        this.#books.report("topics", `${runIdOf(run)} ${stepKey} emits ${text}`);
      if (this.#findById(topic, messageId) === undefined)
        this.messagesOf(topic).push({ rowId, messageId, text, at });
    }
    for (const change of changes)
      if (change.kind === "step" && change.step.type === "emit") this.#checkSaid(change, said);
  }

  #checkSaid({ step }: StepChange, said: readonly { readonly stepKey: string }[]): void {
    const count = said.filter(({ stepKey }) => stepKey === step.stepKey).length;
    if (count !== (step.status === "completed" ? 1 : 0))
      this.#books.report("topics", `${step.stepKey} is ${step.status}, with ${count} messages`);
  }

  #open(
    runId: string,
    change: StepChange,
    { min, at }: { readonly min: number; readonly at: number },
  ): void {
    const { id, stepKey, result } = change.step;
    // A retry has opened it again: it waits anew.
    const life = this.#books.reopeningsOf(runId);
    if (this.waits.get(id)?.life === life) return;
    const topic = topicOf(change);
    const sinceAt = result === null ? null : Number(result);
    const passed = [min, this.messagesOf(topic).length] as const;
    const late = this.messagesOf(topic).some((message) => message.at >= (sinceAt ?? Infinity));
    const handedAt = late ? at : Infinity;
    this.waits.set(id, { runId, life, stepKey, topic, openedAt: at, passed, sinceAt, handedAt });
  }
}

const isOpenWait = ({ step }: StepChange): boolean =>
  step.type === "waitForTopic" && step.status === "waiting";

const topicOf = ({ step }: StepChange): string => (step.waitEventType ?? "").slice("topic ".length);
