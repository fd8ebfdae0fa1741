/** What a rule of the oracle is given, and how it answers. A rule that holds answers nothing. */
import type { ModelRun } from "../model.ts";
import type { Program } from "../program.ts";
import type { Report, RunReport } from "../report.ts";

/** Says that a rule does not hold. `rule` names the section of ORACLE.md. */
export type Fail = (rule: string, detail: string) => void;

/** One run, with all that its checks need. */
export interface Case {
  readonly report: Report;
  readonly run: RunReport;
  /** The code that ran; null: two versions of it did, or its history is in another order than it was called in. */
  readonly program: Program | null;
  readonly fail: Fail;
}

/** What a case's history comes to by the model; null where there is no one program to judge by. */
export type Judged = ModelRun | null;
