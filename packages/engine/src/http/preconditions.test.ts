/** `ifRunNumber` and `ifStatus` are preconditions of every request that changes an instance, and refused alike. */
import { describe, expect, it } from "vitest";
import { createTestingClient, INSTANCES } from "./testing-client.ts";
import { listRoutes } from "./routes.ts";

const PATH = `${INSTANCES}/a`;

/** Requests that change an instance, with what they send. */
const VERBS: Readonly<
  Record<string, readonly [method: "POST" | "DELETE", end: string, body?: object]>
> = {
  pauseInstance: ["POST", "/pause"],
  resumeInstance: ["POST", "/resume"],
  cancelInstance: ["POST", "/cancel"],
  terminateInstance: ["POST", "/terminate"],
  restartInstance: ["POST", "/restart"],
  retryInstance: ["POST", "/retry"],
  rewindInstance: ["POST", "/rewind", { step: "reserve" }],
  forkInstance: ["POST", "/fork", { step: "reserve" }],
  updateInstance: ["POST", "/update", { tags: ["t"] }],
  deleteInstance: ["DELETE", ""],
  sendEvent: ["POST", "/events", { type: "approve" }],
};

async function createQueued() {
  const client = createTestingClient();
  await client.service.createInstance("ORDER", { id: "a", params: 5 });
  return client;
}

describe("preconditions over HTTP", () => {
  it("every route that changes one instance has them", () => {
    const changing = listRoutes()
      .filter(([, { path, method }]) => path.includes(":instanceId") && method !== "GET")
      .map(([name]) => name)
      .filter((name) => name !== "restartOrCreateInstance");
    expect(Object.keys(VERBS).toSorted()).toEqual(changing.toSorted());
  });

  it.each(Object.entries(VERBS))(
    "%s changes nothing of another run, or in another status",
    async (_name, [method, end, body]) => {
      const { send } = await createQueued();
      const before = (await send("GET", `${PATH}/description`)).body;
      const to = (query: string) => send(method, `${PATH}${end}?${query}`, body);
      expect(await to("ifRunNumber=2")).toMatchObject({ status: 409, code: "RUN_NUMBER_MISMATCH" });
      expect(await to("ifStatus=paused,errored")).toMatchObject({
        status: 409,
        code: "STATUS_MISMATCH",
      });
      expect(await to("ifRunNumber=2&ifStatus=paused")).toMatchObject({
        code: "RUN_NUMBER_MISMATCH",
      });
      expect(await to("ifStatus=asleep")).toMatchObject({ status: 400, code: "INVALID_REQUEST" });
      expect((await send("GET", `${PATH}/description`)).body).toEqual(before);
    },
  );

  it.each(["restart", "pause", "cancel", "terminate"])(
    "a %s goes through in a status that is named",
    async (verb) => {
      const { send } = await createQueued();
      const answer = await send("POST", `${PATH}/${verb}?ifRunNumber=1&ifStatus=queued,running`);
      expect(answer).toMatchObject({ status: 200, body: { ok: true } });
    },
  );

  it("an event goes through, and so does its repeat once the status is another one", async () => {
    const { send, service } = await createQueued();
    const event = () =>
      send("POST", `${PATH}/events?ifStatus=queued`, { type: "approve", eventId: "e" });
    expect(await event()).toMatchObject({ status: 200 });
    await service.control("ORDER", "a", "pause");
    expect(await event()).toMatchObject({ status: 200 });
  });

  it("a delete goes through for the run that was seen, and of none it is no error", async () => {
    const { send, service } = await createQueued();
    await service.control("ORDER", "a", "terminate");
    const remove = () => send("DELETE", `${PATH}?ifRunNumber=1&ifStatus=terminated`);
    expect(await remove()).toMatchObject({ body: { deletedCount: 1 } });
    expect(await remove()).toMatchObject({ body: { deletedCount: 0 } });
  });

  it("a retry from a step in a status that is not errored is refused for that", async () => {
    const { send } = await createQueued();
    const retry = (query: string) => send("POST", `${PATH}/retry?from=reserve${query}`);
    expect(await retry("")).toMatchObject({ code: "INSTANCE_NOT_ERRORED" });
  });
});
