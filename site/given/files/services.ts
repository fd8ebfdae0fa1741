/** Calls of other services, as guides make them. */
export interface Quote {
  readonly carrier: string;
  readonly cents: number;
}

export interface Payment {
  readonly id: string;
  readonly state: "open" | "paid" | "refused";
}

export declare function reserveHotel(options?: { idempotencyKey: string }): Promise<{ id: string }>;
export declare function reserveCar(options?: { idempotencyKey: string }): Promise<{ id: string }>;
export declare function askNorth(options: { signal: AbortSignal }): Promise<Quote>;
export declare function askSouth(options: { signal: AbortSignal }): Promise<Quote>;
export declare function sendMail(to: string): Promise<void>;
export declare function charge(cents: number, idempotencyKey: string): Promise<Payment>;
export declare function refund(paymentId: string, idempotencyKey: string): Promise<void>;
export declare function readPage(
  cursor: string | null,
): Promise<{ readonly orders: readonly string[]; readonly next: string | null }>;
export declare function archive(orders: readonly string[]): Promise<void>;
export declare function checkOutage(): Promise<boolean>;
export declare function openAccount(): Promise<string>;
export declare function closeAccount(account: string): Promise<void>;
export declare function sendReminder(account: string): Promise<void>;
export declare function packOrder(orderId: string): Promise<string>;
export declare function printLabel(parcel: string): Promise<string>;
export declare function fetchRows(): Promise<string[]>;
export declare function storeRow(row: string): Promise<void>;
