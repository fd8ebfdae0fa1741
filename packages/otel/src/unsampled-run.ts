/** A run that is not sampled: nothing of it is kept but what its calls, and what it creates, are to see. */
import { type Context, context, type Span } from "@opentelemetry/api";
import type { Followed, Stamp, StepWrite } from "@escapement/engine/internal";
import type { HeldRun, LeaveRun } from "./held-run.ts";
import { quietly } from "./quietly.ts";
import { toRunContext } from "./run-context.ts";
import { idsOf, toStamp } from "./trace-context.ts";

export class UnsampledRun implements Followed, HeldRun {
  readonly run: HeldRun["run"];
  readonly span: Span;
  readonly #context: Context;
  readonly #leave: LeaveRun;

  /** @param span the one that the sampler left out; the creator's, where that decides */
  constructor(run: HeldRun["run"], span: Span, leave: LeaveRun) {
    this.run = run;
    this.span = span;
    this.#context = toRunContext(span);
    this.#leave = leave;
  }

  begin(): void {}

  attemptOver(): void {}

  committed(): void {}

  left(): void {
    this.#leave(this, false);
  }

  /** A step of its own context is in it already: a context costs each promise that is made in it. */
  within<TInput, T>(_step: StepWrite | null, call: (input: TInput) => T, input: TInput): T {
    if (context.active() === this.#context) return call(input);
    return context.with(this.#context, call, undefined, input);
  }

  stamp(): Stamp {
    return toStamp(this.span.spanContext());
  }

  logIds(): object {
    return quietly(idsOf, this.span) ?? {};
  }

  spanOf(): Span {
    return this.span;
  }
}
