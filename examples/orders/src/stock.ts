/** The stock room: reservations in a file, one line each. */
import { openLog } from "./append-log.ts";
import type { Order } from "./order.ts";
import { giveUp } from "./workflow.ts";

/** What the shelves hold of each article at the start. */
const UNITS_PER_SKU = 10_000;

interface Entry {
  /** The step's idempotency key: names the reservation. */
  readonly reservationId: string;
  readonly sku: string;
  /** Negative: given back. */
  readonly quantity: number;
}

export interface StockRoom {
  /** Reserving again under the same id changes nothing. @throws NonRetryableError when too little is left */
  reserve(reservationId: string, order: Pick<Order, "sku" | "quantity">): void;
  /** Giving back what is not reserved changes nothing. */
  release(reservationId: string): void;
  /** Reservations that hold. */
  readonly count: number;
}

/** Opens the file. One process at a time may have it open. */
export function openStockRoom(path: string): StockRoom {
  const held = new Map<string, Entry>();
  const free = new Map<string, number>();
  const apply = (entry: Entry): void => {
    free.set(entry.sku, (free.get(entry.sku) ?? UNITS_PER_SKU) - entry.quantity);
    if (entry.quantity > 0) held.set(entry.reservationId, entry);
    else held.delete(entry.reservationId);
  };
  const log = openLog<Entry>(path, apply);
  const write = (entry: Entry): void => {
    log.append(entry);
    apply(entry);
  };
  return {
    get count() {
      return held.size;
    },
    reserve: (reservationId, { sku, quantity }) => {
      if (held.has(reservationId)) return;
      const left = free.get(sku) ?? UNITS_PER_SKU;
      if (quantity > left) throw giveUp(`only ${left} of ${sku} are left, ${quantity} are ordered`);
      write({ reservationId, sku, quantity });
    },
    release: (reservationId) => {
      const entry = held.get(reservationId);
      if (entry !== undefined) write({ ...entry, quantity: -entry.quantity });
    },
  };
}
