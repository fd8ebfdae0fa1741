/** How large a body may be, and how deep. */
import { describe, expect, it } from "vitest";
import { MAX_JSON_DEPTH, readBody } from "./request-body.ts";
import { createTestingClient, INSTANCES } from "./testing-client.ts";
import { json, sendInvalid } from "./testing-bad-input.ts";

/** A stream needs an option that the types of the web lack. */
const HALF: object = { duplex: "half" };

describe("size and depth", () => {
  const url = `http://host.test/api/workflows${INSTANCES}`;
  const limits = { maxBodyBytes: 1000, maxBatchBodyBytes: 3000 };

  /** A body without a declared length, in pieces of 100 bytes; counts how many were taken. */
  function streamOf(pieceCount: number): { request: Request; taken: () => number } {
    let taken = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        taken += 1;
        if (taken > pieceCount) controller.close();
        else controller.enqueue(new Uint8Array(100).fill(0x20));
      },
    });
    const init = { method: "POST", headers: json, body, duplex: "half" };
    return { request: new Request(url, init), taken: () => taken };
  }

  it("a body of 10 MB is PAYLOAD_TOO_LARGE", async () => {
    const params = "x".repeat(10_000_000);
    const answer = await sendInvalid("POST", INSTANCES, { id: "a", params });
    expect(answer).toMatchObject({ status: 413, code: "PAYLOAD_TOO_LARGE" });
  });

  it("a payload of 1 MiB fits, even written with escapes", async () => {
    const params = '"'.repeat(524_287);
    const answer = await createTestingClient().send("POST", INSTANCES, { id: "a", params });
    expect(answer.status).toBe(200);
  });

  it("a body without a length is cut off at the limit", async () => {
    const client = createTestingClient({ limits });
    const { request, taken } = streamOf(1_000_000);
    const answer = await client.fetch(request);
    expect(answer).toMatchObject({ status: 413, code: "PAYLOAD_TOO_LARGE" });
    expect(answer.body).toMatchObject({ error: { details: { maxBytes: 1000 } } });
    expect(taken()).toBeLessThan(20);
  });

  it("a body that never ends is given up, and its sender is told to stop", async () => {
    let isStopped = false;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(1)),
      cancel: () => void (isStopped = true),
    });
    const request = new Request(url, { method: "POST", headers: json, body, ...HALF });
    const error = await readBody(request, 1000, 5).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      code: "INVALID_REQUEST",
      message: "The body did not arrive within 5 ms.",
    });
    expect(isStopped).toBe(true);
  });

  it("a body that comes byte by byte is read as it was sent, without memory for each", async () => {
    const text = JSON.stringify({ id: "a", params: "x".repeat(5000) });
    const sent = new TextEncoder().encode(text);
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (at === sent.length) controller.close();
        else controller.enqueue(sent.slice(at, (at += 1)));
      },
    });
    const request = new Request(url, { method: "POST", headers: json, body, ...HALF });
    const bytes = await readBody(request, sent.length);
    expect(new TextDecoder().decode(bytes)).toBe(text);
    expect(bytes.buffer.byteLength).toBe(sent.length);
  });

  it("a declared length above the limit is refused without reading", async () => {
    const client = createTestingClient({ limits });
    const { request, taken } = streamOf(1_000_000);
    request.headers.set("content-length", "1001");
    expect((await client.fetch(request)).code).toBe("PAYLOAD_TOO_LARGE");
    expect(taken()).toBeLessThan(2);
  });

  it("a batch has a limit of its own", async () => {
    const client = createTestingClient({ limits });
    const instances = [{ id: "a", params: "x".repeat(2000) }];
    expect((await client.send("POST", `${INSTANCES}/batch`, { instances })).status).toBe(200);
    expect((await client.send("POST", INSTANCES, instances[0])).status).toBe(413);
  });

  it("a body that breaks off is INVALID_REQUEST", async () => {
    const client = createTestingClient();
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) });
    const init = { method: "POST", headers: json, body, duplex: "half" };
    const answer = await client.fetch(new Request(url, init));
    expect(answer).toMatchObject({ status: 400, code: "INVALID_REQUEST" });
  });

  it.each(["[", '{"a":', '{"id":"a","params":['])(
    "100 000 levels of %s are refused without a crash",
    async (open) => {
      const answer = await sendInvalid("POST", INSTANCES, open.repeat(100_000));
      expect(answer).toMatchObject({ status: 400, code: "INVALID_REQUEST" });
    },
  );

  it.each([MAX_JSON_DEPTH, 100_000])(
    "well-formed JSON of %s levels in params is refused",
    async (depth) => {
      const params = `${"[".repeat(depth)}${"]".repeat(depth)}`;
      const answer = await sendInvalid("POST", INSTANCES, `{"id":"a","params":${params}}`);
      expect(answer).toMatchObject({ status: 400, code: "INVALID_REQUEST" });
      const issue = { path: "body", expected: expect.stringContaining("nesting") };
      expect(answer.body).toMatchObject({ error: { details: { issues: [issue] } } });
    },
  );

  it("brackets inside text do not count as levels, and the limit itself is allowed", async () => {
    const client = createTestingClient();
    const text = JSON.stringify({ id: "a", params: `\\"${"[".repeat(5000)}` });
    expect((await client.send("POST", INSTANCES, text)).status).toBe(200);
    const depth = MAX_JSON_DEPTH - 1;
    const nested = `{"id":"b","params":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    expect((await client.send("POST", INSTANCES, nested)).status).toBe(200);
  });

  it.each([0, -1, 1.5, Number.NaN])("a limit of %s bytes is refused", (maxBodyBytes) => {
    expect(() => createTestingClient({ limits: { maxBodyBytes } })).toThrow(
      expect.objectContaining({ code: "DEPLOY_OPTIONS_INVALID" }),
    );
  });
});
