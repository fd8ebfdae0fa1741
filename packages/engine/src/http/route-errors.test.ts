import { describe, expect, it } from "vitest";
import { statusOf, type ErrorCode } from "../core/error-codes.ts";
import { WorkflowError } from "../core/errors.ts";
import { ROUTE_REFERENCE } from "./route-reference.ts";
import { COMMON_ERRORS } from "./reference-entry.ts";
import { listRoutes } from "./routes.ts";
import type { RouteName } from "./route-types.ts";
import type { HttpRoute } from "./route.ts";
import { createTestingClient, TESTING_SECRET, type Answer } from "./testing-client.ts";
import { signTestingToken } from "./testing-service.ts";
import { BODIES, type Cause, causeOf } from "./testing-route-causes.ts";

async function produce(name: RouteName, route: HttpRoute, cause: Cause): Promise<Answer> {
  const { change = {}, client = createTestingClient(), prepare } = cause(route);
  await client.service.createInstance("ORDER", { id: "a" });
  await prepare?.(client);
  const before = client.service.countCreated();
  const path = route.path
    .replace(":workflowName", change.workflowName ?? "ORDER")
    .replace(":instanceId", change.instanceId ?? "a")
    .replace(":bulkId", change.instanceId ?? "a")
    .replace(":eventId", change.eventId ?? "e")
    .replace(":topic", change.topic ?? "placed")
    .replace(":token", change.token ?? (await signTestingToken()));
  const authorization = change.authorization ?? `Bearer ${TESTING_SECRET}`;
  const body = "body" in change ? change.body : BODIES[name];
  const headers = { ...(route.policy === "tick" ? { authorization } : {}), ...change.headers };
  const answer = await client.send(route.method, `${path}${change.query ?? ""}`, body, headers);
  client.service.failWith(null);
  // Nothing was written.
  expect(client.service.countCreated()).toBe(before);
  return answer;
}

/** Acceptance rows about the error codes of a route. */
const ROWS: Partial<Record<RouteName, string>> = {
  findInstances: "S8-001",
  countInstances: "S8-001",
  previewBulk: "S8-004",
  startBulk: "S8-004",
  startBulkDelete: "S8-004",
  listBulks: "S8-004",
  getBulk: "S8-004",
  cancelBulk: "S8-004",
  createInstance: "S0-142",
  getInstance: "S0-144",
  pauseInstance: "S0-148",
  resumeInstance: "S0-148",
  terminateInstance: "S0-148",
  restartInstance: "S0-148",
  retryInstance: "S6-021",
  restartOrCreateInstance: "S6-022",
  rewindInstance: "S6-022",
  forkInstance: "S6-022",
  updateInstance: "S6-023",
  sendEvent: "S0-150",
  getReply: "S6-014",
  completeCallback: "S6-016",
  emit: "S6-015",
  listWaiters: "S4-008",
  tick: "S0-153",
};

/** The holder of a callback's token need not be authorized. */
const codesOf = (name: RouteName): readonly ErrorCode[] =>
  [...ROUTE_REFERENCE[name].errors, ...COMMON_ERRORS].filter(
    (code) => code !== "UNAUTHORIZED" || name !== "completeCallback",
  );

describe("every declared code is answered", () => {
  const cases = listRoutes().flatMap(([name, route]) =>
    codesOf(name).map((code) => ({
      title: `${ROWS[name] ?? "S0-137"} ${name} answers ${code}`,
      name,
      route,
      code,
    })),
  );

  it.each(cases)("$title", async ({ name, route, code }) => {
    const cause = causeOf(route, code);
    if (cause === undefined) throw new Error(`no case produces ${code}`);
    const answer = await produce(name, route, cause);
    expect(answer.code).toBe(code);
    expect(answer.status).toBe(statusOf(code));
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const { docs } = new WorkflowError(code, "");
    const error = { code, message: expect.any(String), details: expect.any(Object), docs };
    expect(answer.body).toEqual({ error, code, message: expect.any(String) });
  });

  it("no route declares a code twice", () => {
    for (const route of Object.values(ROUTE_REFERENCE)) {
      const all = [...route.errors, ...COMMON_ERRORS];
      expect(new Set(all).size).toBe(all.length);
    }
  });
});
