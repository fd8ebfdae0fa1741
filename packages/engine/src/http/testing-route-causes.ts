/** For the test of routes: a way to cause each of their error codes. */
import type { ErrorCode } from "../core/error-codes.ts";
import { WorkflowError } from "../core/errors.ts";
import { DEFAULT_LIMITS } from "../core/default-limits.ts";
import type { RouteName } from "./route-types.ts";
import type { HttpRoute } from "./route.ts";
import { createTestingClient, TESTING_SECRET, type TestingClient } from "./testing-client.ts";
import { signTestingToken, TESTING_FAILURE, TESTING_MISFIT } from "./testing-service.ts";

/** How a case's request differs from one that succeeds. */
interface Change {
  readonly workflowName?: string;
  readonly instanceId?: string;
  readonly eventId?: string;
  readonly token?: string;
  readonly topic?: string;
  readonly query?: string;
  readonly body?: unknown;
  readonly authorization?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How to cause a code on a given route; several ways if a code has several. */
export type Cause = (route: HttpRoute) => {
  readonly change?: Change;
  readonly client?: TestingClient;
  /** Runs once instance `a` exists. */
  readonly prepare?: (client: TestingClient) => unknown;
};

const tooLarge = "x".repeat(1024 * 1024 + 1);
/** Bodies with which a route succeeds. */
export const BODIES: Partial<Record<RouteName, unknown>> = {
  createInstance: { id: "b" },
  restartOrCreateInstance: {},
  rewindInstance: { step: "reserve" },
  forkInstance: { step: "reserve", id: "b" },
  updateInstance: { deadline: "1 hour" },
  createBatch: { instances: [{ id: "b" }] },
  sendEvent: { type: "approve" },
  emit: {},
  tick: {},
  previewBulk: { act: "retry", stuck: true },
  startBulk: { act: "retry", stuck: true },
  startBulkDelete: { tag: "old" },
};

const failing = (error: unknown): Cause => {
  return () => ({ prepare: (client) => client.service.failWith(error) });
};
const failingWith = (code: ErrorCode): Cause =>
  failing(new WorkflowError(code, "From the service."));

/** An item of a create or of a batch, by route; an id in the path is not in the body. */
const item = (
  route: HttpRoute,
  { id, ...value }: { id?: string; params?: unknown; deadline?: string },
): Change =>
  route.path.endsWith("/fork")
    ? { body: { step: "reserve", id, ...value } }
    : route.path.includes(":instanceId")
      ? { body: value, instanceId: id ?? "a" }
      : {
          body: route.bodyLimit === "batch" ? { instances: [{ id, ...value }] } : { id, ...value },
        };

/** Everything that is sent to an instance has a type. */
const eventOf = (route: HttpRoute, payload: unknown): object =>
  route.path.includes(":topic") ? { payload } : { type: "t", payload };

const isRetry = ({ path }: HttpRoute): boolean => path.endsWith("/retry");

const CAUSES: Partial<Record<ErrorCode, Cause>> = {
  WORKFLOW_NOT_FOUND: (route) => ({
    change: route.path.includes(":workflowName")
      ? { workflowName: "constructor" }
      : { query: "?workflows=constructor" },
  }),
  INSTANCE_NOT_FOUND: () => ({ change: { instanceId: "nobody" } }),
  INVALID_INSTANCE_ID: (route) =>
    route.path.startsWith("/instances")
      ? { change: { query: "?parent=ORDER%2F..%20a" } }
      : route.path.includes(":instanceId")
        ? { change: { instanceId: "..%2Fa" } }
        : { change: item(route, { id: "../a" }) },
  INVALID_PARAMS: (route) => ({ change: item(route, { id: "b", params: TESTING_MISFIT }) }),
  INVALID_DURATION: (route) => ({ change: item(route, { id: "b", deadline: "soon" }) }),
  INSTANCE_ID_ALREADY_EXISTS: (route) => ({
    change: item(route, { id: "a" }),
    prepare: (client) => client.service.tick(),
  }),
  STEP_NOT_FOUND: (route) =>
    isRetry(route)
      ? {
          change: { query: "?from=nowhere" },
          prepare: async ({ service }) => {
            await service.restartOrCreate("ORDER", { id: "a", params: TESTING_FAILURE });
            await service.tick();
          },
        }
      : {},
  STEP_PASSED: failingWith("STEP_PASSED"),
  RUN_UNDONE: (route) =>
    isRetry(route)
      ? failingWith("RUN_UNDONE")(route)
      : {
          prepare: (client) =>
            client.service.control("ORDER", "a", "terminate", { rollback: true }),
        },
  STATUS_MISMATCH: () => ({ change: { query: "?ifStatus=paused" } }),
  DEADLINE_EXCEEDED: failingWith("DEADLINE_EXCEEDED"),
  INVALID_IDEMPOTENCY_KEY: (route) => ({
    change: route.path.includes(":eventId")
      ? { eventId: "white%20space" }
      : route.path.includes(":topic")
        ? { body: { id: "white space" } }
        : { headers: { "idempotency-key": "white space" } },
  }),
  TOPIC_NOT_FOUND: () => ({ change: { topic: "constructor" } }),
  TOPIC_LIMIT: failingWith("TOPIC_LIMIT"),
  EVENT_NOT_FOUND: () => ({}),
  EVENT_NOT_ANSWERED: () => ({
    prepare: async (client) => {
      await client.service.sendEvent("ORDER", "a", { type: "approve", eventId: "e" });
      await client.service.control("ORDER", "a", "terminate");
    },
  }),
  IDEMPOTENCY_KEY_CONFLICT: (route) => {
    const headers = { "idempotency-key": "key" };
    const idempotencyKey = "key";
    if (route.path.endsWith("/rewind") || isRetry(route))
      return failingWith("IDEMPOTENCY_KEY_CONFLICT")(route);
    if (route.path.endsWith("/update"))
      return {
        change: { body: { tags: ["b"] }, headers },
        prepare: (client) => client.service.update("ORDER", "a", { tags: ["a"], idempotencyKey }),
      };
    return {
      change: { ...item(route, { id: "k", params: 2 }), headers },
      prepare: (client) =>
        client.service.createInstance("ORDER", { id: "k", params: 1, idempotencyKey }),
    };
  },
  RUN_NUMBER_MISMATCH: () => ({ change: { query: "?ifRunNumber=7" } }),
  EVENT_ID_CONFLICT: (route) => {
    if (route.path.includes(":topic")) return failingWith("EVENT_ID_CONFLICT")(route);
    return {
      change: { body: { type: "approve", payload: 2, eventId: "e" } },
      prepare: (client) =>
        client.service.sendEvent("ORDER", "a", { type: "approve", payload: 1, eventId: "e" }),
    };
  },
  EVENT_LIMIT: () => ({
    prepare: async (client) => {
      for (let count = 0; count < DEFAULT_LIMITS.maxUndeliveredEvents; count += 1)
        await client.service.sendEvent("ORDER", "a", { type: "approve" });
    },
  }),
  INVALID_CURSOR: () => ({ change: { query: "?cursor=%F0%9F%98%80" } }),
  INVALID_EVENT_TYPE: () => ({ change: { body: { type: "schön" } } }),
  EVENT_UNDECLARED: failingWith("EVENT_UNDECLARED"),
  INVALID_EVENT_PAYLOAD: (route) => ({ change: { body: eventOf(route, TESTING_MISFIT) } }),
  BATCH_TOO_LARGE: () => ({
    change: { body: { instances: Array.from({ length: 101 }, (_, i) => ({ id: `i${i}` })) } },
  }),
  INSTANCE_TERMINAL: () => ({
    prepare: (client) => client.service.control("ORDER", "a", "terminate"),
  }),
  INSTANCE_NOT_ERRORED: () => ({}),
  INSTANCE_NOT_ENDED: () => ({}),
  PAYLOAD_TOO_LARGE: (route) => {
    if (route.policy === "events") return { change: { body: eventOf(route, tooLarge) } };
    if (route.path.endsWith("/rewind")) return { change: { body: { step: tooLarge.repeat(2) } } };
    if (route.path.endsWith("/update")) return { change: { body: { memo: tooLarge } } };
    if (route.policy === "tick") return { change: { body: { maxSteps: tooLarge } } };
    if (route.policy === "callback") return { change: { body: [tooLarge] } };
    return { change: item(route, { id: "b", params: tooLarge }) };
  },
  CALLBACK_DISABLED: failingWith("CALLBACK_DISABLED"),
  BULK_DISABLED: failingWith("BULK_DISABLED"),
  INVALID_WORKFLOW_NAME: () => ({ change: { query: "?parent=%2Fa" } }),
  CALLBACK_INVALID: () => ({ change: { token: "forged" } }),
  CALLBACK_USED: () => ({
    prepare: async (client) => client.service.completeCallback(await signTestingToken()),
  }),
  CALLBACK_LATE: () => ({
    prepare: (client) => client.service.control("ORDER", "a", "terminate"),
  }),
  TICK_DISABLED: () => ({ client: createTestingClient({ tick: {} }) }),
  TICK_UNAUTHORIZED: () => ({ change: { authorization: "Bearer undefined" } }),
  INVALID_REQUEST: (route) => ({
    change:
      route.bodyLimit === "none" || route.policy === "callback"
        ? { query: "?pageSize=1&pageSize=2" }
        : { body: [] },
  }),
  UNAUTHORIZED: () => ({
    client: createTestingClient({
      authorizeRequest: refuse,
      tick: { bearerSecret: TESTING_SECRET },
    }),
    prepare: (client) => client.service.failWith("never asked"),
  }),
  FORBIDDEN: (route) => ({
    client: createTestingClient({
      policies: { [route.policy]: refuse },
      tick: { bearerSecret: TESTING_SECRET },
    }),
    prepare: (client) => client.service.failWith("never asked"),
  }),
  CROSS_SITE_REQUEST: () => ({ change: { headers: { "sec-fetch-site": "cross-site" } } }),
  STORE_UNAVAILABLE: failingWith("STORE_UNAVAILABLE"),
  WAIT_LIMIT: failingWith("WAIT_LIMIT"),
  ENGINE_CLOSED: failingWith("ENGINE_CLOSED"),
  SCHEMA_MISMATCH: failingWith("SCHEMA_MISMATCH"),
  INVARIANT_BROKEN: failing(new TypeError("password=hunter2")),
};

/** A filter in the body of a bulk job. */
const bulkOf = ({ path }: HttpRoute, said: object): object => ({
  ...(path === "/bulk/delete" ? {} : { act: "retry" }),
  ...said,
});

/** How to cause a code that is about a bulk job. */
const BULK_CAUSES: Partial<Record<ErrorCode, Cause>> = {
  WORKFLOW_NOT_FOUND: (route) => ({ change: { body: bulkOf(route, { workflows: ["none"] }) } }),
  INVALID_INSTANCE_ID: (route) =>
    route.path.includes(":bulkId")
      ? { change: { instanceId: "..%2Fa" } }
      : {
          change: {
            body: bulkOf(route, { parent: { workflowName: "ORDER", instanceId: "../a" } }),
          },
        },
  INVALID_WORKFLOW_NAME: (route) => ({
    change: { body: bulkOf(route, { parent: { workflowName: "", instanceId: "a" } }) },
  }),
  PAYLOAD_TOO_LARGE: (route) => ({ change: { body: bulkOf(route, { tag: tooLarge.repeat(2) }) } }),
  INSTANCE_ID_ALREADY_EXISTS: (route) => ({
    change: { body: bulkOf(route, { tag: "t", id: "j" }) },
    prepare: (client) => client.service.startBulk({ act: "retry", tag: "t", id: "j" }),
  }),
  IDEMPOTENCY_KEY_CONFLICT: (route) => ({
    change: {
      body: bulkOf(route, { tag: "t", id: "j" }),
      headers: { "idempotency-key": "key" },
    },
    prepare: (client) =>
      client.service.startBulk({ act: "retry", tag: "u", id: "j", idempotencyKey: "key" }),
  }),
  INSTANCE_TERMINAL: () => ({
    change: { instanceId: "j" },
    prepare: async (client) => {
      await client.service.startBulk({ act: "retry", tag: "t", id: "j" });
      await client.service.cancelBulk("j");
      await client.service.tick();
    },
  }),
  INSTANCE_NOT_FOUND: () => ({ change: { instanceId: "nobody" } }),
};

/** By route, because one code can have different causes. */
export const causeOf = (route: HttpRoute, code: ErrorCode): Cause | undefined =>
  (route.path.startsWith("/bulk") ? BULK_CAUSES[code] : undefined) ?? CAUSES[code];

function refuse(): never {
  throw new TypeError("no");
}
