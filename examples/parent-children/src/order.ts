import { defineWorkflow, type StepContext } from "@escapement/engine";

/** The shop's depot: what is booked for each parcel. In a real program these are calls of its service. */
export const depot = {
  booked: new Set<string>(),
  book(parcel: string, { idempotencyKey }: Pick<StepContext, "idempotencyKey">): string {
    if (parcel === "the piano") throw new Error("too heavy for every van");
    depot.booked.add(parcel);
    return `van ${(idempotencyKey.length % 7) + 1}`;
  },
};

/** The child: books a van, and waits until it has been there. */
export const parcel = defineWorkflow({ name: "parcel" }, async (event, step) => {
  const what = event.payload as string;
  const van = await step.do(
    "book a van",
    { retries: { limit: 0 }, undo: () => void depot.booked.delete(what) },
    (context) => depot.book(what, context),
  );
  await step.sleep("on the road", "1 day");
  return `${what} by ${van}`;
});

/** The parent: a child for each parcel, all at once. A parcel that cannot be shipped is named, and stops no other. */
export const order = defineWorkflow({ name: "order" }, async (event, step) => {
  const parcels = event.payload as readonly string[];
  const ends = await step.map(
    "ship",
    parcels,
    (own, what) => own.invoke(parcel, { params: what, onParentEnd: "rollback" }),
    { tolerate: parcels.length, key: (what) => what },
  );
  return {
    shipped: ends.flatMap((one) => (one.ok ? [one.value] : [])),
    left: ends.flatMap((one) => (one.ok ? [] : [one.error.message])),
  };
});
