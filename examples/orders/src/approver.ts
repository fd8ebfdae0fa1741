/** A person who approves large orders, one after another, over the HTTP API. */
import { setTimeout as wait } from "node:timers/promises";
import type { Order } from "./order.ts";
import type { OrdersApi } from "./orders-api.ts";

export interface ApproverOptions {
  readonly api: OrdersApi;
  /** Those that need an approval. */
  readonly orders: readonly Order[];
  /** Between two looks at the desk, in milliseconds. */
  readonly everyMs: number;
  readonly onApproved: () => void;
  readonly signal: AbortSignal;
}

/** Approves every order that asks for it; resolves when none is left. */
export async function approveAll(options: ApproverOptions): Promise<void> {
  const { api, everyMs, onApproved, signal } = options;
  let desk = [...options.orders];
  while (desk.length > 0) {
    const later: Order[] = [];
    for (const order of desk) {
      const state = await api.approvalState(order);
      if (state === "notYet") later.push(order);
      if (state === "waiting") {
        await api.approve(order, { approved: true, by: "Noor Haddad, sales" });
        await wait(everyMs, undefined, { signal });
      }
      if (state !== "notYet") onApproved();
    }
    desk = later;
    await wait(everyMs, undefined, { signal });
  }
}
