/** What the caller and the log learn of an error. */
import { describe, expect, it } from "vitest";
import { WorkflowError } from "../core/errors.ts";
import { createTestingClient, INSTANCES } from "./testing-client.ts";

describe("what an error tells", () => {
  it("an unexpected error is told to the log and not to the caller", async () => {
    const client = createTestingClient();
    client.service.failWith(new TypeError("password=hunter2"));
    const { body, status } = await client.send("GET", "/workflows");
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toContain("hunter2");
    expect(client.log).toMatchObject([
      {
        level: "error",
        event: "http.failed",
        fields: {
          code: "INVARIANT_BROKEN",
          errorName: "TypeError",
          errorMessage: "password=hunter2",
        },
      },
    ]);
  });

  it.each(["a string", undefined, { code: "INVENTED" }])(
    "a thrown %s is answered too",
    async (thrown) => {
      const client = createTestingClient();
      client.service.failWith(thrown);
      expect(await client.send("GET", INSTANCES)).toMatchObject({ code: "INVARIANT_BROKEN" });
    },
  );

  it("a database's words stay in the log", async () => {
    const client = createTestingClient();
    const error = new WorkflowError("STORE_UNAVAILABLE", "10.0.0.3 refused", { host: "10.0.0.3" });
    client.service.failWith(error);
    const { body } = await client.send("GET", INSTANCES);
    expect(body).toMatchObject({
      error: { message: "The store is unavailable.", details: {} },
    });
    expect(client.log).toMatchObject([{ fields: { details: { host: "10.0.0.3" } } }]);
  });

  it("an error of a code that this version does not know is unexpected", async () => {
    const client = createTestingClient();
    const newer = new WorkflowError("INSTANCE_TERMINAL", "x");
    Object.defineProperty(newer, "code", { value: "CODE_OF_2031" });
    client.service.failWith(newer);
    expect(await client.send("GET", INSTANCES)).toMatchObject({ status: 500 });
  });

  it("a refusal of the caller's making is not logged", async () => {
    const client = createTestingClient();
    await client.send("GET", `${INSTANCES}/nobody`);
    expect(client.log).toEqual([]);
  });

  it("details that JSON cannot hold are left out", async () => {
    const client = createTestingClient();
    client.service.failWith(new WorkflowError("INVALID_PARAMS", "x", { path: [1n] }));
    const answer = await client.send("GET", INSTANCES);
    expect(answer).toMatchObject({ status: 400, body: { error: { details: {} } } });
  });

  it("a logger that throws fails no request", async () => {
    const logger = {
      log: (): void => {
        throw new TypeError("disk full");
      },
    };
    const client = createTestingClient({ logger });
    client.service.failWith(new TypeError("x"));
    expect(await client.send("GET", INSTANCES)).toMatchObject({ code: "INVARIANT_BROKEN" });
  });
});
