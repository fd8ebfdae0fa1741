/** The calls of tests to a fixture, through the HTTP API. */
import { expect } from "vitest";
import { PROBE_PATH } from "./app.ts";
import type { ContractLogLine, DatabaseState } from "./faults.ts";
import type { AdapterFixture, AdapterRequest, AdapterWake } from "./subject.ts";

export const API = "/api/workflows/workflows";
export const TICK = "/api/workflows/_runner/tick";
const JSON_HEADERS = { "content-type": "application/json" };

export interface Scene {
  readonly fixture: AdapterFixture;
  send(request: Partial<AdapterRequest> & Pick<AdapterRequest, "path">): Promise<Response>;
  create(workflowName: string, id: string, params?: unknown): Promise<void>;
  /** Creates with an idempotency key. Such a create does not claim its run; a tick does. */
  createKeyed(workflowName: string, id: string): Promise<void>;
  load(workflowName: string, id: string): Promise<unknown>;
  /** How often each body of an instance ran, by step name. */
  bodiesOf(id: string): Promise<Readonly<Record<string, number>>>;
  /** The wakes asked for since the last call. */
  takeWakes(): readonly AdapterWake[];
  /** Delivers wakes that are due until `look` returns the expected result. */
  drive(look: () => Promise<unknown>, expected: object): Promise<void>;
  setDatabase(state: DatabaseState): Promise<void>;
  /** The warnings and errors logged so far. */
  complaints(): Promise<readonly ContractLogLine[]>;
}

/** The reason why a group of tests is skipped, for the group's name. */
export const reasonOf = (capability: true | string): string =>
  capability === true ? "" : ` (skipped: ${capability})`;

/** For capabilities that are newer than the fixtures. */
export const NOT_OFFERED = "the fixture does not offer it";

export function createScene(fixture: AdapterFixture): Scene {
  const send: Scene["send"] = ({ method = "GET", headers = {}, body = null, path }) =>
    fixture.call({ method, path, headers, body });
  /** Wakes that are not delivered yet; a platform that relies on one of them asks for no other. */
  const kept: AdapterWake[] = [];
  const takeWakes = (): readonly AdapterWake[] => [
    ...kept.splice(0),
    ...(fixture.takeWakes?.() ?? []),
  ];
  const post = async (workflowName: string, request: object, headers: object): Promise<void> => {
    const path = `${API}/${workflowName}/instances`;
    const body = toBytes(JSON.stringify(request));
    const answer = await send({
      method: "POST",
      path,
      headers: { ...JSON_HEADERS, ...headers },
      body,
    });
    expect(answer.status, await answer.text()).toBe(200);
  };
  return {
    fixture,
    send,
    takeWakes,
    create: (workflowName, id, params) => post(workflowName, { id, params }, {}),
    createKeyed: (workflowName, id) => post(workflowName, { id }, { "idempotency-key": id }),
    load: async (workflowName, id) =>
      (await send({ path: `${API}/${workflowName}/instances/${id}` })).json(),
    bodiesOf: async (id) => countBodies(await send({ path: `${PROBE_PATH}/bodies` }), id),
    drive: async (look, expected) => {
      const deliverAndLook = async (): Promise<unknown> => {
        kept.push(...takeWakes());
        const due = kept.filter(({ at }) => at === null || at <= Date.now());
        for (const wake of due) await kept.splice(kept.indexOf(wake), 1)[0]?.deliver();
        return look();
      };
      await expect.poll(deliverAndLook, { interval: 10, timeout: 60_000 }).toMatchObject(expected);
    },
    setDatabase: async (state) => {
      if (fixture.setDatabase !== undefined) return fixture.setDatabase(state);
      const answer = await send({ method: "POST", path: `${PROBE_PATH}/database?state=${state}` });
      expect(await answer.json(), "the application is not made with createFaults").toBe(true);
    },
    complaints: async () => {
      const readProbe = async () => (await send({ path: `${PROBE_PATH}/log` })).json();
      const lines = (await (fixture.readLog ?? readProbe)()) as readonly ContractLogLine[];
      return lines.filter(({ level }) => level === "warn" || level === "error");
    },
  };
}

export const toBytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

export const complete = (output: unknown): object => ({ details: { status: "complete", output } });

async function countBodies(answer: Response, id: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const key of (await answer.json()) as readonly string[]) {
    const segments = key.split("/");
    const stepName = segments.at(-1) ?? key;
    if (segments.includes(id)) counts[stepName] = (counts[stepName] ?? 0) + 1;
  }
  return counts;
}
