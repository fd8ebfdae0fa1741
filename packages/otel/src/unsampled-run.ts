/** A run that is not sampled. It only keeps the context for its calls and for what it creates. */
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

  /** @param span the one that the sampler left out, or the creator's if that decides */
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

  /** A step with its own context is in it already. Entering a context again would cost each promise that is created in it. */
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
