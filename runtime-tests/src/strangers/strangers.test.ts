/** What strangers send, on each runtime: one answer everywhere, and an answer for everybody. */
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Served, STRANGER_PLATFORMS } from "./platforms.ts";
import { ORDERS, STRANGER_REQUESTS, type StrangerRequest } from "./requests.ts";

interface Answer {
  readonly status: number;
  readonly code: string | null;
  readonly message: string;
}

type Sent = Pick<StrangerRequest, "head" | "body" | "ends">;

/** Sends bytes, and reads what comes back to the end of the answer; the connection is the server's to keep. */
function send(port: number, { head, body, ends }: Sent): Promise<Answer> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    const finish = (): void => {
      socket.destroy();
      resolve(toAnswer(text));
    };
    socket.on("data", (data) => {
      text += data.toString("latin1");
      if (isWhole(text)) finish();
    });
    // A server that has answered may end the connection while the rest is sent.
    socket.on("error", () => undefined);
    socket.on("close", finish);
    socket.on("connect", () => {
      socket.write(head, "latin1");
      if (body.length > 0) socket.write(body);
      if (ends) socket.end();
    });
  });
}

function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const head = text.slice(0, end);
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  const body = text.slice(end + 4);
  return length === undefined ? body.endsWith("0\r\n\r\n") : body.length >= Number(length);
}

/** status 0: the connection ended without an answer. */
const toAnswer = (text: string): Answer => ({
  status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0),
  code: /"code":"([A-Z_]+)"/.exec(text)?.[1] ?? null,
  message: /"message":"([^"]*)"/.exec(text)?.[1] ?? "",
});

const PLATFORMS = STRANGER_PLATFORMS.filter(({ name, missing }) => {
  if (missing !== null) console.warn(`strangers on ${name} SKIPPED: ${missing}`);
  return missing === null;
});

describe.each(PLATFORMS)("strangers on $name", ({ open }) => {
  let served: Served;
  beforeAll(async () => {
    served = await open();
  });
  afterAll(() => served.stop());

  test.each(STRANGER_REQUESTS)("$name: $status $code", async (sent) => {
    expect(await send(served.port, sent)).toMatchObject({ status: sent.status, code: sent.code });
  });
});

/** From when a body is asked for, see docs/threat-model.md. */
const BODY_MS = 30_000;
const BODY_TIMEOUT_MS = 180_000;

test(
  "a body that does not come is given up on every runtime, by the same words",
  async () => {
    const ask = async (open: () => Promise<Served>): Promise<Answer> => {
      const served = await open();
      const head = `POST ${ORDERS} HTTP/1.1\r\nhost: a.test\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n`;
      const answer = await send(served.port, { head, body: "{", ends: false });
      await served.stop();
      return answer;
    };
    const message = `The body did not arrive within ${BODY_MS} ms.`;
    const given = await Promise.all(PLATFORMS.map(({ open }) => ask(open)));
    expect(given).toEqual(PLATFORMS.map(() => ({ status: 400, code: "INVALID_REQUEST", message })));
  },
  BODY_TIMEOUT_MS,
);
