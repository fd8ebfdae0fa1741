/** A claimed run that is being advanced, as the code sees it that decides about parts of it. The implementation is `RunSession`. */
import type { StepWrite } from "../core/model/change.ts";
import type { HistoryStep, JsonText, SettledStep } from "../core/model/records.ts";
import type { AskedEnd } from "./asked-end.ts";
import type { Budget } from "./budget.ts";
import type { Call, Calls, Receiver } from "./call.ts";
import type { RunContext } from "./context.ts";
import type { Failures } from "./failures.ts";
import type { Milestones } from "./milestones.ts";
import type { NeededCode } from "./needed-code.ts";
import type { SessionTransactions, TransactionSession } from "./other-table-writes.ts";
import type { Refusals } from "./refusals.ts";
import type { createReplayedResults } from "./replayed-results.ts";
import type { RunRetry } from "./session-end.ts";
import type { SessionScopes } from "./session-scopes.ts";
import type { Starts } from "./starts.ts";
import type { StepLimit } from "./step-limit.ts";
import type { Followed } from "./telemetry.ts";
import type { Undos } from "./undos.ts";

export interface Session extends TransactionSession {
  readonly context: RunContext;
  /** undefined: no spans. */
  readonly followed: Followed | undefined;
  readonly takeReplayed: ReturnType<typeof createReplayedResults>;
  readonly calls: Calls;
  readonly undos: Undos;
  readonly refusals: Refusals;
  readonly stepLimit: StepLimit;
  /** Calls that were undecided when author code was done. */
  readonly calledLast: readonly Call[];
  /** undefined: no writes of other tables. */
  readonly transactions: SessionTransactions | undefined;
  readonly milestones: Milestones;
  readonly scopes: SessionScopes;
  /** null: author code was told of none. */
  failures: Failures | null;
  readonly code: NeededCode;
  readonly starts: Starts;
  readonly budget: Budget;
  readonly asked: AskedEnd;
  /** How to leave the run when no body runs any more; null: it goes on. */
  stop: "pause" | "release" | null;
  /** The author's function has returned or thrown. */
  isAuthorDone: boolean;
  /** Called when no body runs any more. */
  readonly onQuiet: (() => void)[];
  /** This process does nothing more for the run. */
  readonly isOver: boolean;
  /** See `Pump`. */
  readonly isAuthorWaiting: boolean;
  /** The run is to be left as it is, so nothing new may start. */
  readonly isStopping: boolean;

  /** Author code has called a step that is not settled. */
  open(call: Call): void;
  /** Author code has called a step whose outcome is in the history. */
  openSettled(receiver: Receiver, step: SettledStep): void;
  /** Refuses a call of author code. It is told in its turn, like an outcome. */
  refuse(reject: () => void): void;
  /** An attempt has ended and another will follow, unless the run waits for its bodies to end. Author code is told nothing. */
  retry(call: Call, step: StepWrite): void;
  /** The author's function has returned or thrown; its output may still be checked. */
  authorDone(): void;
  /** No body runs: calls the next function that waits for that. @returns false: there is none */
  tellQuiet(): boolean;
  complete(output: JsonText | null): void;
  /** Fails the run, whatever author code would catch. @param retry of the whole run; null: none */
  fail(error: unknown, retry?: RunRetry | null): void;
  /** Stops at once: running bodies are aborted, their attempts count as lost, and the run is released. */
  interrupt(): void;
  /** Logs that code and history disagree. */
  warnDiverged(message: string, fields: Readonly<Record<string, unknown>>): void;
  /** Logs steps of the history that author code did not call. */
  readonly warnUncalled: (steps: readonly Pick<HistoryStep, "stepKey">[]) => void;
  /** Logs a call that came after the end or the parking of the run. */
  warnAfterEnd(name: string): void;
  /** Called when a commit's answer has been handled: does what is due now. */
  committed(): void;
  /** Author code has called something or has ended. It may still be running. */
  authorActed(): void;
}
