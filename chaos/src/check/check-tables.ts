/** What the tables hold in the end, beside what author code saw. */
import type { LedgerLine } from "../ledger.ts";
import type { StartedInstance } from "../load.ts";
import type { EventRow, Tables } from "../tables.ts";
import type { Violation } from "./violation.ts";

/** Instances that are missing, have not ended or have failed; and what is left in the queue. */
export function findUnended(
  tables: Tables,
  started: readonly StartedInstance[],
): readonly Violation[] {
  const byId = new Map(tables.instances.map((instance) => [instance.id, instance]));
  const children = started
    .filter(({ name }) => name === "parent")
    .map(({ id }) => ({ id: `${id}-child` }));
  const violations: Violation[] = [];
  for (const { id } of [...started, ...children]) {
    const instance = byId.get(id);
    if (instance?.status === "complete") continue;
    const steps = tables.steps
      .filter((step) => step.id === id && step.status !== "completed")
      .map(
        ({ key, status, attempts, lostAttempts }) => `${key} ${status} ${attempts}/${lostAttempts}`,
      );
    const task = tables.tasks.find((row) => row.includes(`"${id}"`)) ?? "no task";
    const evidence = `${instance?.status ?? "missing"} ${instance?.errorName ?? ""} [${steps.join(", ")}] ${task}`;
    violations.push({ promise: "instances-end", id, evidence });
  }
  const openIds = new Set(violations.map(({ id }) => id));
  for (const task of tables.tasks) {
    const id = String((JSON.parse(task) as { readonly instanceId?: unknown }).instanceId);
    if (openIds.has(id)) continue;
    violations.push({ promise: "nothing-is-left", id, evidence: `a row of the queue: ${task}` });
  }
  return violations;
}

/** Events that were consumed other than once and in order, or given to nobody. */
export function findEventFaults(
  tables: Tables,
  lines: readonly LedgerLine[],
): readonly Violation[] {
  const seen = receivedPayloads(lines);
  const violations: Violation[] = [];
  const stored = new Map<string, EventRow[]>();
  for (const event of tables.events) stored.set(event.id, [...(stored.get(event.id) ?? []), event]);
  for (const id of new Set([...stored.keys(), ...seen.keys()])) {
    const rows = stored.get(id) ?? [];
    const delivered = rows.filter((row) => row.isDelivered).map(({ payload }) => payload);
    const received = seen.get(id) ?? [];
    if (JSON.stringify(delivered) !== JSON.stringify(received)) {
      const evidence = `delivered ${delivered.join(" ")}; author code received ${received.join(" ")}`;
      violations.push({ promise: "events-once", id, evidence });
    }
    const doubled = rows.filter(
      ({ payload, type }, index) =>
        rows.findIndex((row) => row.payload === payload && row.type === type) !== index,
    );
    for (const { payload } of doubled)
      violations.push({ promise: "events-once", id, evidence: `${payload} was stored twice` });
  }
  return violations;
}

/** Payloads that the session of each instance received that came furthest, in order. */
function receivedPayloads(lines: readonly LedgerLine[]): ReadonlyMap<string, readonly string[]> {
  const longest = new Map<string, readonly string[]>();
  const bySession = new Map<string, string[]>();
  for (const line of lines) {
    const payload = line.kind === "saw" ? / event (.+)$/.exec(line.what)?.[1] : undefined;
    if (line.kind !== "saw" || payload === undefined) continue;
    const payloads = bySession.get(line.session) ?? [];
    payloads.push(payload);
    bySession.set(line.session, payloads);
    if (payloads.length > (longest.get(line.id)?.length ?? 0)) longest.set(line.id, payloads);
  }
  return longest;
}
