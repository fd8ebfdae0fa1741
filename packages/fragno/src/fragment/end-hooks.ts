/** Hooks for runs that end. Each is filed by the commit that ends the run, under its lease, so it exists exactly once per end. */
import type { Dialect, Statement } from "@escapement/db/client";
import {
  type Commit,
  decodeJson,
  type ErrorColumns,
  INSTANCE,
  type InstanceRecord,
  isInstanceOfLease,
  type JsonText,
  LEASE_COLUMNS,
  type LeasedRow,
  leasedRows,
  prepareRows,
  type RowsStatement,
  toCommitName,
  toError,
} from "@escapement/engine/internal";
import { HOOKS_TABLE, toMaxAttempts } from "../adapter/internals.ts";
import { NAMESPACE } from "../schema/workflows-schema.ts";
import type { WorkflowTerminal } from "./config.ts";

/** The payload of a hook: texts as in the instance's row. */
export interface FiledEnd extends ErrorColumns {
  readonly terminalTransitionId: string;
  readonly workflowName: string;
  readonly instanceId: string;
  readonly instanceRef: string;
  readonly runNumber: number;
  readonly status: WorkflowTerminal["status"];
  readonly params: JsonText | null;
  readonly output: JsonText | null;
}

/** The argument of the callback. */
export function toTerminal({
  errorName,
  errorMessage,
  errorDetail,
  params,
  output,
  ...filed
}: FiledEnd): WorkflowTerminal {
  const error = toError({ errorName, errorMessage, errorDetail });
  return {
    ...filed,
    params: decodeJson(params),
    ...(output === null ? {} : { output: decodeJson(output) }),
    ...(error === null ? {} : { error }),
  };
}

/** A run that is terminated at once, without output and error. @param terminalTransitionId new, like a row id */
export const toTerminated = (
  { workflowName, instanceId, runNumber, params }: InstanceRecord,
  instanceRef: string,
  terminalTransitionId: string,
): FiledEnd => ({
  terminalTransitionId,
  workflowName,
  instanceId,
  instanceRef,
  runNumber,
  status: "terminated",
  params,
  output: null,
  errorName: null,
  errorMessage: null,
  errorDetail: null,
});

interface EndRow extends LeasedRow {
  /** Row id of the hook. */
  readonly hookId: string;
  readonly transitionId: string;
}

const COLUMNS = [
  ...LEASE_COLUMNS,
  { name: "hookId", type: "text" },
  { name: "transitionId", type: "text" },
] as const;

/** In the form in which the library files a hook that a unit of work has triggered. */
const fileEnds: RowsStatement = {
  columns: COLUMNS,
  text: (dialect, giving) =>
    `insert into "${HOOKS_TABLE}" ("id", "namespace", "hookName", "payload", "status", "attempts", "maxAttempts", "nonce", "createdAt") ` +
    `select l."hookId", '${NAMESPACE}', 'onWorkflowTerminal', ${payloadOf(dialect)}, 'pending', 0, ${toMaxAttempts(undefined)}, ` +
    `l."transitionId", ${dialect.now} from ${leasedRows(dialect, giving, { columns: COLUMNS })} ` +
    `join ${INSTANCE} as i on ${isInstanceOfLease(dialect)} where i."status" in ('complete', 'errored', 'terminated')`,
};

function payloadOf(dialect: Dialect): string {
  const members: Readonly<Record<keyof FiledEnd, string>> = {
    terminalTransitionId: `l."transitionId"`,
    workflowName: `i."workflowName"`,
    instanceId: `i."instanceId"`,
    instanceRef: `i."id"`,
    runNumber: `i."runNumber"`,
    status: `i."status"`,
    params: `i."params"`,
    output: `i."output"`,
    errorName: `i."errorName"`,
    errorMessage: `i."errorMessage"`,
    errorDetail: `i."errorDetail"`,
  };
  const payload = dialect.jsonObject({ ...members });
  return dialect.name === "postgres" ? `cast(${payload} as json)` : payload;
}

/** For the SQL store's option `alongside`. */
export function createEndHooks(
  dialect: Dialect,
  newId: () => string,
): (commits: readonly Commit[]) => readonly Statement[] {
  const statement = prepareRows(dialect, fileEnds);
  return (commits) => {
    const rows: readonly EndRow[] = commits.filter(mayEnd).map((commit) => {
      const { taskId, token, instanceRowId } = commit.lease;
      const transitionId = toCommitName(commit);
      return { taskId, token, instanceRowId, hookId: newId(), transitionId };
    });
    return rows.length === 0 ? [] : [statement(rows)];
  };
}

/** Whether a commit ends its run if its lease is held. */
export const mayEnd = ({ outcome: { kind } }: Pick<Commit, "outcome">): boolean =>
  kind === "complete" || kind === "fail" || kind === "terminate";
