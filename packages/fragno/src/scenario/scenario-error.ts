/** A step of a scenario that failed. */

export interface FailedStep {
  readonly scenario: string;
  /** 1-based. */
  readonly step: number;
  readonly stepCount: number;
  readonly label: string;
}

/** Says which step of which scenario failed; `cause` is the step's error. */
export class ScenarioError extends Error {
  override readonly name = "ScenarioError";
  readonly failed: FailedStep;

  constructor(failed: FailedStep, cause: unknown) {
    const { scenario, step, stepCount, label } = failed;
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`scenario "${scenario}", step ${step} of ${stepCount}, ${label}: ${reason}`, { cause });
    this.failed = failed;
  }
}
