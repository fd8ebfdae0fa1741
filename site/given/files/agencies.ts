/** The agencies of `examples/saga`. */
export interface Booking {
  readonly id: string;
}

interface Agency {
  book(what: string, idempotencyKey: string): Promise<Booking>;
  cancel(booking: Booking): Promise<void>;
}

export declare function createAgency(name: string, refuses?: readonly string[]): Agency;
