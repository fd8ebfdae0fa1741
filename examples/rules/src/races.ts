import { defineWorkflow } from "@escapement/engine";
import { carriers } from "./outside.ts";

export const wrong = defineWorkflow({ name: "deliver" }, async (_event, step) => {
  const carrier = await Promise.race([carriers.askNorth(), carriers.askSouth()]);
  const booked = await step.do("book", () => carrier);
  await step.sleep("wait for pickup", "1 hour");
  return { booked, paid: carrier }; // after the sleep the other one may have won
});

export const right = defineWorkflow({ name: "deliver" }, async (_event, step) => {
  const carrier = await step.do("choose carrier", () =>
    Promise.race([carriers.askNorth(), carriers.askSouth()]),
  );
  const booked = await step.do("book", () => carrier);
  await step.sleep("wait for pickup", "1 hour");
  return { booked, paid: carrier };
});
