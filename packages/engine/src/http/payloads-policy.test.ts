import { safeParse } from "valibot";
import { describe, expect, it } from "vitest";
import type { Authorize } from "./access.ts";
import { ROUTE_REFERENCE } from "./route-reference.ts";
import {
  createTestingClient,
  INSTANCES,
  type Answer,
  type TestingClient,
} from "./testing-client.ts";

const SECRET = "what-only-some-may-see";

const refuse: Authorize = () => {
  throw new Error("not for you");
};

/** Instance `a` has ended, with the secret as its output, in its memo, in an event and in a step's history. */
async function createScene(payloads?: Authorize): Promise<TestingClient> {
  const client = createTestingClient(payloads === undefined ? {} : { policies: { payloads } });
  await client.send("POST", INSTANCES, { id: "a", params: { s: SECRET }, memo: SECRET });
  await client.service.tick();
  const event = { type: "approve", eventId: "e", payload: SECRET };
  await client.send("POST", `${INSTANCES}/a/events`, event);
  await client.service.tick();
  return client;
}

const READS = {
  getInstance: `${INSTANCES}/a`,
  describeInstance: `${INSTANCES}/a/describe`,
  listInstances: `${INSTANCES}?payloads=full`,
  findInstances: "/instances?payloads=full",
  listHistory: `${INSTANCES}/a/history?payloads=full`,
  readProgress: `${INSTANCES}/a/stream`,
} as const;

const ACTS = {
  createInstance: ({ send }: TestingClient) =>
    send("POST", INSTANCES, { id: "b", memo: SECRET, params: SECRET }),
  createBatch: ({ send }: TestingClient) =>
    send("POST", `${INSTANCES}/batch`, { instances: [{ id: "c", memo: SECRET }] }),
  updateInstance: ({ send }: TestingClient) =>
    send("POST", `${INSTANCES}/a/update`, { tags: ["seen"] }),
  restartInstance: ({ send }: TestingClient) => send("POST", `${INSTANCES}/a/restart`),
  restartOrCreateInstance: ({ send }: TestingClient) =>
    send("POST", `${INSTANCES}/a/restart-or-create`, { memo: SECRET }),
  rewindInstance: ({ send }: TestingClient) =>
    send("POST", `${INSTANCES}/a/rewind`, { step: "reserve" }),
  forkInstance: ({ send }: TestingClient) =>
    send("POST", `${INSTANCES}/a/fork`, { step: "approval", id: "f" }),
} as const;

describe("the policy payloads", () => {
  const expectHidden = (name: keyof typeof ROUTE_REFERENCE, answer: Answer): void => {
    expect(answer).toMatchObject({ status: 200, code: null });
    expect(JSON.stringify(answer.body)).not.toContain(SECRET);
    expect(answer.headers.get("escapement-payloads")).toBe("hidden");
    expect(safeParse(ROUTE_REFERENCE[name].output, answer.body).success).toBe(true);
  };

  it.each(Object.entries(READS))(
    "hides what %s would tell to whom it refuses",
    async (name, path) => {
      const { send } = await createScene(refuse);
      expectHidden(name as keyof typeof READS, await send("GET", path));
    },
  );

  it.each(Object.entries(ACTS))(
    "hides it in the answer of %s, which is done",
    async (name, act) => {
      expectHidden(name as keyof typeof ACTS, await act(await createScene(refuse)));
    },
  );

  it("hides it in a stream", async () => {
    const { send } = await createScene(refuse);
    const accept = { accept: "application/x-ndjson" };
    const answer = await send("GET", READS.readProgress, undefined, accept);
    expect(answer.status).toBe(200);
    expect(answer.body).not.toContain(SECRET);
    expect(answer.headers.get("escapement-payloads")).toBe("hidden");
  });

  it.each([undefined, () => undefined] as const)("shows all where it is %s", async (payloads) => {
    const { send } = await createScene(payloads);
    const answer = await send("GET", READS.getInstance);
    expect(JSON.stringify(answer.body)).toContain(SECRET);
    expect(answer.headers.get("escapement-payloads")).toBeNull();
    const history = await send("GET", READS.listHistory);
    expect(JSON.stringify(history.body)).toContain(SECRET);
  });

  it.each([false, new Response("no")])(
    "takes %s for a no, and answers all the same",
    async (verdict) => {
      const { send } = await createScene((() => verdict) as unknown as Authorize);
      expectHidden("getInstance", await send("GET", READS.getInstance));
    },
  );

  it("lets nobody fork an instance whose payloads are hidden into one whose are not", async () => {
    const { send } = await createScene(({ params }) => {
      if (params["instanceId"] === "a") throw new Error("not for you");
    });
    for (const id of [{ id: "mine" }, {}])
      expect(await send("POST", `${INSTANCES}/a/fork`, { step: "approval", ...id })).toMatchObject({
        status: 403,
        code: "FORBIDDEN",
      });
    expect(await send("GET", `${INSTANCES}/mine`)).toMatchObject({ status: 404 });
  });

  it("says in the log what it threw, once, and nothing of a refusal that says so itself", async () => {
    const payloads: Authorize = () => {
      throw new TypeError("user is undefined");
    };
    const { send, log } = await createScene(payloads);
    expectHidden("getInstance", await send("GET", READS.getInstance));
    expectHidden("getInstance", await send("GET", READS.getInstance));
    const fields = {
      policy: "payloads",
      errorName: "TypeError",
      errorMessage: "user is undefined",
    };
    const lines = log.filter(({ fields: { route } }) => route === "getInstance");
    expect(lines).toMatchObject([{ level: "warn", event: "http.refused", fields }]);

    const quiet = await createScene(() => new Response("no"));
    expectHidden("getInstance", await quiet.send("GET", READS.getInstance));
    expect(quiet.log).toEqual([]);
  });

  it("is asked with the route and its path, and opens none that is closed", async () => {
    const seen: unknown[] = [];
    const client = createTestingClient({
      policies: {
        payloads: ({ policy, routeName, params }) => void seen.push({ policy, routeName, params }),
        delete: refuse,
      },
    });
    expect(await client.send("GET", `${INSTANCES}/none`)).toMatchObject({ status: 404 });
    expect(seen).toEqual([
      {
        policy: "payloads",
        routeName: "getInstance",
        params: { workflowName: "ORDER", instanceId: "none" },
      },
    ]);
    expect(await client.send("DELETE", `${INSTANCES}/none`)).toMatchObject({ status: 403 });
  });
});
