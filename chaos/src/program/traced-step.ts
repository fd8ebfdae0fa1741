/** Steps that write down what author code called, did and saw. */
import {
  type StepContext,
  WorkflowError,
  type WorkflowDuration,
  type WorkflowStep,
  type WorkflowStepConfig,
} from "@escapement/engine";
import type { AppendToLedger } from "../ledger.ts";
import { createRandom } from "../random.ts";

/** What a traced body may do beside writing into the ledger. */
export interface TracedBody {
  /** Retries; planned failures come first and end before they are used up, unless `fails` is "always". @default 3 */
  readonly limit?: number;
  /** Planned failures. @default "never" */
  readonly fails?: "never" | "first" | "always";
  /** Done before the body returns. */
  readonly effect?: (context: StepContext) => Promise<void>;
  /** false: author code's knowledge of it is not written down, for steps that only one version of the code has. @default true */
  readonly isSeen?: boolean;
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let sessionCount = 0;
let nonceCount = 0;

/** The steps of one session. */
export class TracedStep {
  readonly #step: WorkflowStep;
  readonly #append: AppendToLedger;
  readonly #id: string;
  readonly #session: string;
  #seenCount = 0;

  constructor(step: WorkflowStep, id: string, append: AppendToLedger) {
    this.#step = step;
    this.#append = append;
    this.#id = id;
    sessionCount += 1;
    this.#session = `${process.pid}.${sessionCount}`;
    append({ kind: "begin", ...this.#author() });
  }

  /** Author code has learned something: the order of these is what replay must keep. */
  saw(what: string): void {
    const n = this.#seenCount;
    this.#seenCount += 1;
    this.#append({ kind: "saw", ...this.#author(), n, what });
  }

  /** Resolves to "value", or to the code of the error. */
  async do(name: string, body: TracedBody = {}): Promise<string> {
    const after = this.#seenCount;
    const outcome = await this.#outcomeOf(name, body, after);
    if (body.isSeen !== false) this.saw(`${name} ${outcome.what}`);
    return outcome.kind;
  }

  async #outcomeOf(
    name: string,
    body: TracedBody,
    after: number,
  ): Promise<{ readonly kind: string; readonly what: string }> {
    const limit = body.limit ?? 3;
    const config: WorkflowStepConfig = {
      retries: { limit, delay: 20, backoff: "constant" },
      timeout: "5 minutes",
    };
    try {
      const nonce = await this.#step.do(name, config, (context) =>
        this.#runBody({ name, body, limit, after }, context),
      );
      return { kind: "value", what: nonce };
    } catch (error) {
      const code = WorkflowError.is(error) ? error.code : String(error);
      return { kind: code, what: code };
    }
  }

  async #runBody(
    call: {
      readonly name: string;
      readonly body: TracedBody;
      readonly limit: number;
      readonly after: number;
    },
    context: StepContext,
  ): Promise<string> {
    const { body, limit, after } = call;
    const { stepKey: key, attempt } = context;
    nonceCount += 1;
    const nonce = `${this.#session}.${nonceCount}`;
    this.#append({ kind: "start", ...this.#author(), key, attempt, limit, after, nonce });
    const random = createRandom(`${this.#id} ${key} ${attempt}`);
    await wait(bodyMs(random.next()));
    await body.effect?.(context);
    const { fails = "never" } = body;
    const isPlanned =
      fails === "always" || (fails === "first" && attempt <= limit && random.chance(0.5));
    this.#append({
      kind: "end",
      ...this.#author(),
      key,
      nonce,
      outcome: isPlanned ? "error" : "value",
    });
    if (isPlanned) throw new Error("a planned failure");
    return nonce;
  }

  async sleep(name: string, ms: number): Promise<void> {
    this.#append({ kind: "sleep", ...this.#author(), name, ms });
    await this.#step.sleep(name, ms);
    this.saw(`${name} over`);
  }

  /** Resolves to the event's payload, or to null after the time-out. */
  async event(name: string, type: string, timeout: WorkflowDuration): Promise<string | null> {
    const event = await this.#step.tryWaitForEvent<string>(name, { type, timeout });
    this.saw(`${name} ${event === null ? "timeout" : `event ${event.payload}`}`);
    return event === null ? null : event.payload;
  }

  #author(): { readonly id: string; readonly session: string } {
    return { id: this.#id, session: this.#session };
  }
}

/** Most bodies are quick; some take so long that a kill finds them inside. */
function bodyMs(chance: number): number {
  if (chance < 0.7) return Math.round(chance * 20);
  return chance < 0.95
    ? Math.round((chance - 0.7) * 600)
    : 500 + Math.round((chance - 0.95) * 20_000);
}
