import { fileURLToPath } from "node:url";
import { playRefund, startPayoutService } from "@escapement-examples/platforms";
import { spawnServer, temporaryDirectory } from "@escapement-internal/test-servers";
import { expect, test } from "vitest";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));
const TOKEN = "token-of-this-test-only-1";

test("on Node a refund is decided, retried and paid, and SIGTERM ends the process in order", async () => {
  const directory = temporaryDirectory();
  const payout = await startPayoutService();
  let url = "";
  const server = await spawnServer({
    command: process.execPath,
    args: ["--import", import.meta.resolve("tsx"), MAIN],
    cwd: directory.path,
    env: { PORT: "0", API_TOKEN: TOKEN, PAYOUT_URL: payout.url, DATABASE_FILE: "refunds.db" },
    ready: async (output) => {
      url = /^listening (\S+)$/m.exec(output())?.[1] ?? "";
      return url !== "";
    },
  });
  try {
    const api = `${url}/api/workflows`;
    expect((await fetch(`${api}/workflows`)).status).toBe(401);
    const headers = { authorization: `Bearer ${TOKEN}` };
    const { payoutKeys, ...played } = await playRefund({ api, headers, payout });
    expect(played).toMatchObject({
      status: "complete",
      output: { state: "paid", receipt: "receipt-1" },
    });
    expect(payoutKeys).toHaveLength(2);
    expect(new Set(payoutKeys).size).toBe(1);
  } finally {
    await server.stop("SIGTERM");
    payout.close();
    directory.remove();
  }
});
