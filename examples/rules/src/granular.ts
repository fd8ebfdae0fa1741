import { defineWorkflow } from "@escapement/engine";
import { warehouse } from "./outside.ts";

export const wrong = defineWorkflow({ name: "ship" }, async (_event, step) => {
  // When the label fails, the retry reserves a second parcel.
  await step.do("ship", () => {
    const parcel = warehouse.reserveParcel();
    return warehouse.printLabel(parcel);
  });
});

export const right = defineWorkflow({ name: "ship" }, async (_event, step) => {
  const parcel = await step.do("reserve parcel", () => warehouse.reserveParcel());
  await step.do("print label", () => warehouse.printLabel(parcel));
});
