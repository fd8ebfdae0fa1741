/** The places of two runs, and the differences at each. */
import type { JSX } from "preact";
import type { DiffRow } from "./diff-runs.ts";
import { toJson, toTook } from "./format.ts";
import { Status } from "./parts.tsx";
import { type StepShown, tookMs } from "./shapes.ts";
import { Table } from "./table.tsx";

/** The results of each side, by key. */
export type Results = readonly ReadonlyMap<string, unknown>[];

export const isOther = (results: Results | null, key: string): boolean =>
  results !== null && toJson(results[0]?.get(key)) !== toJson(results[1]?.get(key));

export const toPhrase = (difference: DiffRow["differences"][number]): string =>
  difference === "only left"
    ? "only the first has it"
    : difference === "only right"
      ? "only the second has it"
      : difference;

interface DiffTableProps {
  readonly rows: readonly DiffRow[];
  readonly results: Results | null;
}

export function DiffTable({ rows, results }: DiffTableProps): JSX.Element {
  return (
    <Table
      class="instances diff"
      label="Differences"
      columns={["Place", "First", "Second", "Differs in"]}
    >
      {rows.map((row) => (
        <tr key={row.stepKey} class={row.differences.length === 0 ? "is-same" : ""}>
          <th scope="row">
            <code>{row.stepKey}</code>
          </th>
          <Cell side="first" step={row.left} result={results?.[0]?.get(row.stepKey)} />
          <Cell side="second" step={row.right} result={results?.[1]?.get(row.stepKey)} />
          <td data-label="differs in">
            {row.differences.map((difference) => (
              <span key={difference} class="tag">
                {toPhrase(difference)}
              </span>
            ))}
            {isOther(results, row.stepKey) ? <span class="tag">result</span> : null}
          </td>
        </tr>
      ))}
    </Table>
  );
}

interface CellProps {
  readonly side: string;
  readonly step: StepShown | null;
  readonly result: unknown;
}

function Cell({ side, step, result }: CellProps): JSX.Element {
  if (step === null)
    return (
      <td class="quiet side" data-label={side}>
        –
      </td>
    );
  const { status, attempts, error } = step;
  return (
    <td class="side" data-label={side}>
      <Status of={status} /> <span class="quiet">{toTook(tookMs(step))}</span>
      {attempts > 1 ? <span class="quiet"> · {attempts} attempts</span> : null}
      {error === null ? null : (
        <span class="message">
          <code>{error.code ?? error.name}</code> {error.message}
        </span>
      )}
      {result === undefined ? null : <pre tabIndex={0}>{toJson(result)}</pre>}
    </td>
  );
}
