/** Compares what was ordered with what was charged, stored and written, and says what is wrong. */
import type { InstanceStatus } from "@escapement/engine";
import { type Order, toPrice } from "./order.ts";
import type { Charge, LedgerView } from "./payment-ledger.ts";
import type { FoundReceipt } from "./receipts.ts";

export interface Evidence {
  readonly orders: readonly Order[];
  readonly toInstanceId: (order: Order) => string;
  readonly instances: ReadonlyMap<string, InstanceStatus>;
  readonly ledger: LedgerView;
  readonly receipts: ReadonlyMap<string, FoundReceipt>;
  readonly reservationCount: number;
}

/** One line per mistake; none when every order has one charge of its amount, one receipt, and is complete. */
export function audit(evidence: Evidence): readonly string[] {
  const { orders, ledger, receipts, reservationCount } = evidence;
  const charges = new Map<string, Charge[]>();
  for (const charge of ledger.charges)
    charges.set(charge.orderId, [...(charges.get(charge.orderId) ?? []), charge]);
  const problems = orders.flatMap((order) => {
    const found = [
      ...auditInstance(evidence.instances.get(evidence.toInstanceId(order))),
      ...auditCharges(order, charges.get(order.id) ?? []),
      ...auditReceipt(order, receipts.get(order.id), charges.get(order.id)?.[0]),
    ];
    return found.map((problem) => `${order.id}: ${problem}`);
  });
  const known = new Set(orders.map(({ id }) => id));
  for (const id of charges.keys()) if (!known.has(id)) problems.push(`${id}: charged, not ordered`);
  for (const id of receipts.keys())
    if (!known.has(id)) problems.push(`${id}: has a receipt, was not ordered`);
  if (reservationCount !== orders.length)
    problems.push(`${reservationCount} stock reservations for ${orders.length} orders`);
  return problems;
}

function auditInstance(instance: InstanceStatus | undefined): readonly string[] {
  if (instance === undefined) return ["has no instance"];
  const { status, error, output } = instance;
  if (status !== "complete") return [`is ${status}${error ? `: ${error.message}` : ""}`];
  const { outcome, reason } = output as { outcome: string; reason?: string };
  return outcome === "shipped" ? [] : [`was ${outcome}: ${reason ?? ""}`];
}

function auditCharges(order: Order, charges: readonly Charge[]): readonly string[] {
  const problems = charges.length === 1 ? [] : [`was charged ${charges.length} times`];
  for (const charge of charges)
    if (toPrice(charge) !== toPrice(order))
      problems.push(`was charged ${toPrice(charge)} instead of ${toPrice(order)}`);
  return problems;
}

function auditReceipt(
  order: Order,
  receipt: FoundReceipt | undefined,
  charge: Charge | undefined,
): readonly string[] {
  if (receipt === undefined) return ["has no receipt"];
  const isRight =
    receipt.chargeId === charge?.chargeId &&
    receipt.amountCents === order.amountCents &&
    receipt.currency === order.currency;
  return isRight ? [] : ["its receipt is for another charge or amount"];
}
