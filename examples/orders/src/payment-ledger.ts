/** What the payment service did, in a file, so that it survives the service. */
import { openLog } from "./append-log.ts";
import type { Order } from "./order.ts";

/** What a shop asks the payment service for. */
export interface ChargeRequest extends Pick<Order, "amountCents" | "currency"> {
  readonly orderId: string;
}

/** Money that was taken, once per idempotency key. */
export interface Charge extends ChargeRequest {
  readonly chargeId: string;
  readonly idempotencyKey: string;
}

/** How the service treated a request; see payment-service.ts. */
export type Treatment = "prompt" | "fail" | "stall" | "hangUp" | "late";

type Entry =
  | { readonly kind: "request"; readonly idempotencyKey: string; readonly treatment: Treatment }
  | { readonly kind: "charge"; readonly charge: Charge };

/** The answer of `GET /ledger`. */
export interface LedgerView {
  readonly charges: readonly Charge[];
  /** Requests to charge, answered or not. */
  readonly requestCount: number;
  readonly treatments: Readonly<Record<Treatment, number>>;
}

export interface Ledger {
  countRequest(idempotencyKey: string, treatment: Treatment): void;
  /** Takes the money, unless this key has paid already. @returns null when the key was used for something else */
  charge(idempotencyKey: string, request: ChargeRequest): Charge | null;
  view(): LedgerView;
  readonly requestCount: number;
  readonly chargeCount: number;
}

/** Opens the ledger's file. One process at a time may have it open. */
export function openLedger(path: string): Ledger {
  const charges = new Map<string, Charge>();
  const treatments = { prompt: 0, fail: 0, stall: 0, hangUp: 0, late: 0 };
  let requestCount = 0;
  const apply = (entry: Entry): void => {
    if (entry.kind === "charge") charges.set(entry.charge.idempotencyKey, entry.charge);
    else {
      requestCount += 1;
      treatments[entry.treatment] += 1;
    }
  };
  const log = openLog<Entry>(path, apply);
  const write = (entry: Entry): void => {
    log.append(entry);
    apply(entry);
  };
  return {
    get requestCount() {
      return requestCount;
    },
    get chargeCount() {
      return charges.size;
    },
    countRequest: (idempotencyKey, treatment) =>
      write({ kind: "request", idempotencyKey, treatment }),
    charge: (idempotencyKey, request) => {
      const known = charges.get(idempotencyKey);
      if (known !== undefined) return isSame(known, request) ? known : null;
      const chargeId = `ch_${String(charges.size + 1).padStart(5, "0")}`;
      const charge = { ...request, chargeId, idempotencyKey };
      write({ kind: "charge", charge });
      return charge;
    },
    view: () => ({ charges: [...charges.values()], requestCount, treatments: { ...treatments } }),
  };
}

const isSame = (charge: Charge, request: ChargeRequest): boolean =>
  charge.orderId === request.orderId &&
  charge.amountCents === request.amountCents &&
  charge.currency === request.currency;
