/** Workflows as a project exports them. A variable changes the code, as an editor would. */
import { defineTopic, defineWorkflow } from "@escapement/engine";

const EDIT = process.env["TESTING_EDIT"];

/** Written by every body, so a replay adds nothing. */
export const bodies: string[] = [];

const parcel = defineWorkflow({ name: "parcel" }, async (_event, step) => {
  await step.do(EDIT === "rename" ? "weigh it" : "weigh", () => {
    bodies.push("weigh");
    if (process.env["TESTING_REFUSES_BODIES"] === "1") process.exit(70);
    return 7;
  });
  await step.waitForEvent("collected", { type: "collected" });
  return EDIT === "output" ? 8 : 7;
});

const letter = defineWorkflow({ name: "letter" }, async (_event, step) => {
  await step.do("stamp", () => 1);
  if (EDIT === "end") return "sent";
  return EDIT === "more" ? step.sleep("dry", "1 day") : null;
});

export const topics = [defineTopic({ name: "depot" })];
export const workflows = { PARCEL: parcel, ...(EDIT === "gone" ? {} : { LETTER: letter }) };
