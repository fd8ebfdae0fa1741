/** The adapter contract: one suite of promises that every adapter keeps, whatever its platform. */
import { afterAll, beforeAll, describe } from "vitest";
import { describeRequests } from "./requests.ts";
import { createScene, type Scene } from "./scene.ts";
import type { AdapterFixture, AdapterSubject, FixtureOptions } from "./subject.ts";
import { describeClosedTicks, describeTicks } from "./ticks.ts";
import { describeExactWakes, describeInvocations, describeLostWakes } from "./wakes.ts";

/** Registers the whole contract for one adapter with vitest. */
export function describeAdapterContract(subject: AdapterSubject): void {
  const { name, skip, capabilities } = subject;
  const reason = skip === null ? "" : ` (SKIPPED: ${skip})`;
  if (skip !== null) console.warn(`adapter contract: ${name} SKIPPED: ${skip}`);
  describe.skipIf(skip !== null)(`adapter contract: ${name}${reason}`, () => {
    describe("with tick secrets", () => {
      const scene = openScene(subject, { hasTickSecrets: true, losesWakes: false });
      describeRequests(scene);
      describeTicks(scene);
      describeInvocations(scene, capabilities);
    });
    describe("asleep", () => {
      const scene = openScene(subject, { hasTickSecrets: true, losesWakes: false });
      describeExactWakes(scene, capabilities.exactWakes);
    });
    describe("without tick secrets", () => {
      describeClosedTicks(openScene(subject, { hasTickSecrets: false, losesWakes: false }));
    });
    describe("with every wake lost", () => {
      describeLostWakes(openScene(subject, { hasTickSecrets: true, losesWakes: true }));
    });
  });
}

/** One fixture for the tests of a group; every test uses instance ids of its own. */
function openScene(subject: AdapterSubject, options: FixtureOptions): () => Scene {
  let fixture: AdapterFixture | null = null;
  beforeAll(async () => {
    fixture = await subject.open(options);
  });
  afterAll(async () => {
    await fixture?.teardown();
  });
  return () => {
    if (fixture === null) throw new TypeError("the adapter was not opened");
    return createScene(fixture);
  };
}
