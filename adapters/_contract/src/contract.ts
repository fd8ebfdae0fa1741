/** The adapter contract: one suite of promises for every adapter, whatever its platform. */
import { afterAll, beforeAll, describe } from "vitest";
import { describeColdStart } from "./outages.ts";
import { describeRefusals, describeUnknownEvents } from "./refusals.ts";
import { describeRequests } from "./requests.ts";
import { describeStreams } from "./streams.ts";
import { createScene, NOT_OFFERED, reasonOf, type Scene } from "./scene.ts";
import { describeSkew } from "./skew.ts";
import type { AdapterFixture, AdapterSubject, FixtureOptions } from "./subject.ts";
import { describeTroubles } from "./troubles.ts";
import { describeClosedTicks, describeLoggedTicks, describeTicks } from "./ticks.ts";
import { describeExactWakes, describeInvocations, describeLostWakes } from "./wakes.ts";

const AN_HOUR_MS = 3_600_000;
const A_MINUTE_MS = 60_000;
const USUAL: FixtureOptions = { hasTickSecrets: true, losesWakes: false };

/** Registers the whole contract for one adapter with vitest. */
export function describeAdapterContract(subject: AdapterSubject): void {
  const { name, skip, capabilities } = subject;
  const { faults = NOT_OFFERED, unknownEvents = NOT_OFFERED } = capabilities;
  const { comesBack = capabilities.invocations } = capabilities;
  const reason = skip === null ? "" : ` (SKIPPED: ${skip})`;
  if (skip !== null) console.warn(`adapter contract: ${name} SKIPPED: ${skip}`);
  describe.skipIf(skip !== null)(`adapter contract: ${name}${reason}`, () => {
    describe("with tick secrets", () => {
      const scene = openScene(subject, USUAL);
      describeRequests(scene);
      describeStreams(scene);
      describeRefusals(scene);
      describeTicks(scene);
      describeInvocations(scene, capabilities);
      group("the log", faults, () => describeLoggedTicks(scene, "TICK_UNAUTHORIZED"));
      group("unknown events", unknownEvents, () => describeUnknownEvents(scene));
    });
    group("in trouble", comesBack, () => {
      describeTroubles(openScene(subject, USUAL), capabilities);
    });
    describe("asleep", () => {
      describeExactWakes(openScene(subject, USUAL), capabilities.exactWakes);
    });
    describe("without tick secrets", () => {
      const scene = openScene(subject, { ...USUAL, hasTickSecrets: false });
      describeClosedTicks(scene);
      group("the log", faults, () => describeLoggedTicks(scene, "TICK_DISABLED"));
    });
    describe("with every wake lost", () => {
      describeLostWakes(openScene(subject, { ...USUAL, losesWakes: true }));
    });
    describeFaults(subject);
  });
}

/** Faults around the application. */
function describeFaults(subject: AdapterSubject): void {
  const { exactWakes, faults = NOT_OFFERED, clockSkew = NOT_OFFERED } = subject.capabilities;
  for (const [name, database] of [
    ["with a database that is away at the start", "down"],
    ["with a database that is not migrated at the start", "unmigrated"],
  ] as const)
    group(name, faults, () =>
      describeColdStart(openScene(subject, { ...USUAL, database }), database),
    );
  for (const [name, clockOffMs] of [
    ["with a process clock an hour ahead, and drifting", AN_HOUR_MS],
    ["with a process clock an hour behind, and drifting", -AN_HOUR_MS],
    ["with a process clock a minute ahead, and drifting", A_MINUTE_MS],
    ["with a process clock a minute behind, and drifting", -A_MINUTE_MS],
  ] as const)
    group(name, clockSkew, () =>
      describeSkew(openScene(subject, { ...USUAL, clockOffMs }), exactWakes, clockOffMs),
    );
}

/** A group of tests that needs a capability; if it is missing, the group is skipped with the reason. */
function group(name: string, capability: true | string, register: () => void): void {
  describe.skipIf(capability !== true)(`${name}${reasonOf(capability)}`, () => {
    register();
  });
}

/** One fixture for the tests of a group. Every test uses its own instance ids. */
function openScene(subject: AdapterSubject, options: FixtureOptions): () => Scene {
  let fixture: AdapterFixture | null = null;
  let scene: Scene | null = null;
  beforeAll(async () => {
    fixture = await subject.open(options);
    scene = createScene(fixture);
  });
  afterAll(async () => {
    await fixture?.teardown();
  });
  return () => {
    if (scene === null) throw new TypeError("the adapter was not opened");
    return scene;
  };
}
