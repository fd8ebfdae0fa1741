/** `npm run example saga`: a trip that comes about, and one whose last leg fails. */
import { createEngine } from "@escapement/engine";
import { sqlite } from "@escapement/engine/sqlite";
import { agencies, trip } from "./trip.ts";

const engine = createEngine({
  workflows: { TRIP: trip },
  store: sqlite(process.argv[2] ?? ":memory:"),
  logger: { log: () => undefined },
});
engine.startLoop();

const tell = (what: string): void => {
  const booked = Object.values(agencies).flatMap((agency) => agency.booked.map(({ id }) => id));
  console.log(what.padEnd(38), `booked now: ${booked.join(", ") || "nothing"}`);
};

console.log(await engine.workflows.TRIP.execute({ params: { to: "Lisbon" } }));
tell("a trip to Lisbon");

const lost = await engine.workflows.TRIP.create({ params: { to: "Atlantis" } });
await new Promise((resolve) => setTimeout(resolve, 500));
tell("a trip to Atlantis, without a car yet");
await lost.result({ timeout: "10 minutes" }).catch((error: unknown) => console.log(String(error)));
tell("that trip, rolled back");
const { steps } = await engine.listHistory("trip", lost.id, {});
for (const step of steps) console.log(`  ${step.stepKey.padEnd(28)}${step.status}`);
await engine.close();
