/** Three agencies that book and cancel. In a real program these are calls over HTTP that take an idempotency key. */

/** What an agency has of one booking. */
export interface Booking {
  readonly id: string;
  readonly what: string;
}

/** An agency that books each key once, as such services do. */
export interface Agency {
  /** @throws what the agency has against it */
  book(what: string, idempotencyKey: string): Promise<Booking>;
  cancel(booking: Booking): Promise<void>;
  /** What is booked and not cancelled. */
  readonly booked: readonly Booking[];
}

/** @param refuses places that are taken */
export function createAgency(name: string, refuses: readonly string[] = []): Agency {
  const bookings = new Map<string, Booking>();
  return {
    async book(what, idempotencyKey) {
      if (refuses.includes(what)) throw new Error(`no ${name} left for ${what}`);
      const id = `${name}-${bookings.size + 1}`;
      const booking = bookings.get(idempotencyKey) ?? { id, what };
      bookings.set(idempotencyKey, booking);
      return booking;
    },
    async cancel(booking) {
      for (const [key, { id }] of bookings) if (id === booking.id) bookings.delete(key);
    },
    get booked() {
      return [...bookings.values()];
    },
  };
}
