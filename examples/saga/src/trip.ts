import { defineWorkflow, RollbackError } from "@escapement/engine";
import { z } from "zod";
import { type Booking, createAgency } from "./agencies.ts";

export const agencies = {
  flights: createAgency("flight"),
  hotels: createAgency("hotel"),
  cars: createAgency("car", ["Atlantis"]),
};

export const trip = defineWorkflow(
  { name: "trip", schema: z.object({ to: z.string() }) },
  async ({ payload: { to } }, step) => {
    // Both at once. A booking can be undone as soon as its step has completed.
    const { flight, hotel } = await step.join("book", {
      flight: (own) =>
        own.do(
          "reserve",
          { undo: (booking: Booking) => agencies.flights.cancel(booking) },
          ({ idempotencyKey }) => agencies.flights.book(to, idempotencyKey),
        ),
      hotel: (own) =>
        own.do(
          "reserve",
          { undo: (booking: Booking) => agencies.hotels.cancel(booking) },
          ({ idempotencyKey }) => agencies.hotels.book(to, idempotencyKey),
        ),
    });

    const car = await step.tryDo(
      "car",
      { retries: { limit: 2, delay: "1 second" } },
      ({ idempotencyKey }) => agencies.cars.book(to, idempotencyKey),
    );
    // No trip without a car: undo everything, the last booking first.
    if (!car.ok) throw new RollbackError("the trip is off", { cause: car.error });

    return { flight: flight.id, hotel: hotel.id, car: car.value.id };
  },
);
