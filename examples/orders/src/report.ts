/** The table at the end. */
import type { StepTotals } from "./census.ts";
import type { LedgerView } from "./payment-ledger.ts";

export interface Results {
  readonly orderCount: number;
  readonly completeCount: number;
  readonly receiptCount: number;
  readonly largeCount: number;
  readonly ledger: LedgerView;
  readonly killCount: number;
  readonly steps: StepTotals;
  readonly trips: number;
  readonly durationMs: number;
  readonly place: string;
  readonly isContinued: boolean;
}

type Row = readonly [name: string, value: string, note: string];

/** Lines of the table. */
export function toTable(results: Results): string {
  const rows = toRows(results);
  const nameWidth = Math.max(...rows.map(([name]) => name.length));
  const valueWidth = Math.max(...rows.map(([, value]) => value.length));
  const lines = rows.map(([name, value, note]) =>
    `  ${name.padEnd(nameWidth)}  ${value.padStart(valueWidth)}  ${note}`.trimEnd(),
  );
  const rule = `  ${"─".repeat(Math.max(...lines.map((line) => line.length)) - 2)}`;
  return [rule, ...lines, rule, `  store     ${results.place}`].join("\n");
}

function toRows(results: Results): readonly Row[] {
  const { ledger, steps, killCount, trips, orderCount } = results;
  const perOrder = chargesPerOrder(ledger, orderCount);
  const { fail, stall, hangUp, late } = ledger.treatments;
  return [
    ["orders", String(orderCount), `${results.largeCount} large ones, approved by a person`],
    ["complete", String(results.completeCount), ""],
    ["receipts", String(results.receiptCount), ""],
    ["charges per order", perOrder, perOrder === "1" ? "exactly one each" : "should be 1"],
    [
      "charge requests",
      String(ledger.requestCount),
      `${fail} failed, ${stall} stalled, ${hangUp + late} charged and then unanswered or too late`,
    ],
    ["kills survived", String(killCount), "SIGKILL to the worker, at random moments"],
    ["attempts lost", String(steps.lost), "step bodies that a kill cut off; they ran again"],
    ["steps completed", String(steps.completed), `${steps.attempts} attempts of step bodies`],
    [
      "trips per step",
      (trips / Math.max(1, steps.completed)).toFixed(2),
      `${trips} round trips of the workers; retries, polling and questions over HTTP included`,
    ],
    [
      "duration",
      `${(results.durationMs / 1000).toFixed(1)} s`,
      results.isContinued ? "since this start; the rest is of the whole run" : "",
    ],
  ];
}

/** For instance "1", or "0 to 2". */
function chargesPerOrder({ charges }: LedgerView, orderCount: number): string {
  const counts = new Map<string, number>();
  for (const { orderId } of charges) counts.set(orderId, (counts.get(orderId) ?? 0) + 1);
  const least = counts.size < orderCount ? 0 : Math.min(...counts.values());
  const most = Math.max(0, ...counts.values());
  return least === most ? String(least) : `${least} to ${most}`;
}
