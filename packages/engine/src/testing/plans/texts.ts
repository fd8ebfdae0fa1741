/** The texts of all statements of a store. */
import type { Dialect, Statement } from "@escapement/db/client";
import type { StoreCommand } from "../../core/decide/lifecycle.ts";
import { inStatuses } from "../../stores/sql/control.ts";
import { isDemanded } from "../../stores/sql/statements/demand.ts";
import { insertEvent } from "../../stores/sql/statements/send-event.ts";
import { compileStatements } from "./compile-statements.ts";
import { controlStatements } from "../../stores/sql/statements/control.ts";
import { replacing } from "../../stores/sql/statements/restart-or-create.ts";
import {
  countEventTypes,
  selectChildren,
  selectOpenSteps,
  selectState,
} from "../../stores/sql/statements/explain.ts";
import { commitLoneEnd } from "../../stores/sql/statements/commit-lone-end.ts";
import { createAlone } from "../../stores/sql/statements/create-alone.ts";
import { FINDING_TEXTS } from "./finding.ts";
import {
  findCallback,
  findScopes,
  insertCallback,
} from "../../stores/sql/statements/send-callback.ts";
import { copySteps, insertFork, unmarkFork } from "../../stores/sql/statements/fork.ts";
import {
  controlRewound,
  deliverRewind,
  forgetRewinds,
  leaveRows,
  markRewind,
  removeSteps,
  reopenLoops,
  returnEvents,
} from "../../stores/sql/statements/rewind.ts";
import { judgeAim } from "../../stores/sql/statements/rewind-aim.ts";
import { reopenSteps } from "../../stores/sql/statements/reopen-steps.ts";
import { updateGiven, wakeByDeadline } from "../../stores/sql/statements/update.ts";
import { MOVE_ROWS, MOVE_TEXTS } from "./move.ts";
import { RETAIN_TEXTS } from "./retain.ts";

const REWIND_TEXTS: readonly ((dialect: Dialect) => string)[] = [
  judgeAim,
  returnEvents,
  leaveRows,
  reopenLoops,
  forgetRewinds,
  deliverRewind,
  insertFork,
  copySteps,
  unmarkFork,
];

/** The texts of all statements of the store, in both forms if they are over rows. */
export function allTexts(dialect: Dialect): ReadonlySet<string> {
  const { control, ...others } = compileStatements(dialect, true);
  const late = controlStatements(dialect, "restartWithNewKeys", replacing(dialect));
  const texts = new Set<string>([
    reopenSteps(dialect),
    insertCallback(dialect),
    findCallback(dialect),
    findScopes(dialect),
    updateGiven(dialect),
    wakeByDeadline(dialect),
    selectState(dialect),
    selectOpenSteps(dialect),
    countEventTypes(dialect),
    selectChildren(dialect),
    ...FINDING_TEXTS.map((text) => text(dialect)),
  ]);
  for (const keepsKeys of [false, true]) {
    for (const text of Object.values(controlRewound(dialect, keepsKeys))) texts.add(String(text));
    texts.add(markRewind(dialect, keepsKeys)).add(removeSteps(dialect, keepsKeys));
  }
  for (const text of Object.values(late)) texts.add(String(text));
  for (const command of Object.keys(control) as StoreCommand[])
    for (const text of Object.values(controlStatements(dialect, command, inStatuses(dialect))))
      if (text !== null) texts.add(String(text));
  texts.add(insertEvent(dialect, `and ${isDemanded(dialect, "i", 11)} `));
  for (const text of [...REWIND_TEXTS, ...RETAIN_TEXTS, ...MOVE_TEXTS]) texts.add(text(dialect));
  if (dialect.name === "postgres")
    for (const { text } of [...Object.values(commitLoneEnd), ...Object.values(createAlone)])
      texts.add(text(dialect));
  for (const { text } of MOVE_ROWS)
    for (const giving of ["single", "array"] as const) texts.add(text(dialect, giving));
  const all = { ...others, ...Object.assign({}, ...Object.values(control)) } as object;
  for (const statement of [
    ...Object.values(all),
    ...Object.values(control).flatMap(Object.values),
  ]) {
    const make = statement as ((argument: unknown) => Statement) | null;
    if (make === null) continue;
    texts.add(make([{}]).text);
    texts.add(make([{}, {}]).text);
  }
  return texts;
}
