/** Who gets the tokens of callbacks, uses them, once or more often, in time or late; and who makes tokens up. */
import { WorkflowError } from "@escapement/engine";
import type { CallbackUse } from "../program.ts";
import type { Scheduler } from "../scheduler.ts";
import { runIdOf } from "./facts.ts";
import type { Outside } from "./outside.ts";
import type { MailedCallback } from "./world.ts";

/** One use of a token, and all that was answered. */
export interface CallbackUseRecord {
  readonly key: string;
  readonly payload: string;
  readonly isForged: boolean;
  readonly askedAt: number;
  /** `done`, or the code of a refusal, of each try that was answered. */
  readonly answers: { readonly code: string; readonly at: number }[];
  tries: number;
}

export class Callbacks {
  readonly #scheduler: Scheduler;
  readonly #insist: (act: Parameters<Outside["insist"]>[0]) => Promise<boolean>;
  readonly #byRun = new Map<string, CallbackUseRecord[]>();

  constructor(
    scheduler: Scheduler,
    insist: (act: Parameters<Outside["insist"]>[0]) => Promise<boolean>,
  ) {
    this.#scheduler = scheduler;
    this.#insist = insist;
  }

  usesOf(runId: string): readonly CallbackUseRecord[] {
    return this.#byRun.get(runId) ?? [];
  }

  /** Somebody has a token now. */
  useLater(mailed: MailedCallback): void {
    for (const [index, use] of mailed.node.uses.entries())
      this.#scheduler.after(use.afterMs, null, () => this.#use(mailed, use, index));
  }

  #use({ run, key, token }: MailedCallback, { isForged }: CallbackUse, index: number): void {
    const record: CallbackUseRecord = {
      key,
      payload: `use ${index + 1} of ${key}`,
      isForged,
      askedAt: this.#scheduler.now,
      answers: [],
      tries: 0,
    };
    const runId = runIdOf(run);
    this.#byRun.set(runId, [...this.usesOf(runId), record]);
    const shown = isForged ? forge(token, index) : token;
    void this.#insist(async ({ engine }) => {
      record.tries += 1;
      const code = await engine.completeCallback(shown, record.payload).then(
        () => "done",
        (error: unknown) => {
          if (!WorkflowError.is(error) || error.code === "STORE_UNAVAILABLE") throw error;
          return error.code;
        },
      );
      record.answers.push({ code, at: this.#scheduler.now });
    });
  }
}

/** Another token: of another claim, of another signature, or cut short. */
function forge(token: string, index: number): string {
  const at = index % 2 === 0 ? 2 : token.length - 3;
  const sign = token[at] === "A" ? "B" : "A";
  return `${token.slice(0, at)}${sign}${token.slice(at + 1)}`;
}
