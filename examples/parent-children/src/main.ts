/** `npm run example parent-children`: an order of three parcels, of which one is too heavy; then one that is called off. */
import { createHarness } from "@escapement/engine/testing";
import { depot, order, parcel } from "./order.ts";

// Virtual time: the vans are on the road for a day.
const harness = createHarness({ workflows: { ORDER: order, PARCEL: parcel } });
await harness.workflows.ORDER.create({ id: "o-1", params: ["a lamp", "the piano", "a chair"] });
await harness.runThroughTime();
console.log("o-1, three parcels:", (await harness.status("order", "o-1")).output);
console.log(`booked at the vans: ${[...depot.booked].join(", ")}`);

const second = await harness.workflows.ORDER.create({ id: "o-2", params: ["a table"] });
await harness.runUntilIdle();
await second.cancel();
await harness.runUntilIdle();
console.log(
  `o-2, cancelled on its way, is ${(await second.status()).status}; booked at the vans: ${[...depot.booked].join(", ")}`,
);
