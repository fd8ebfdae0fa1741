/**
 * A payment service that behaves as badly as real ones do, on purpose: it fails, stalls, takes the money and hangs up, or
 * answers long after its caller has given up. What it never does: take money twice for one idempotency key.
 */
import { createAdaptorServer, type HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import * as v from "valibot";
import { createChance } from "./chance.ts";
import { reportTrouble, startedBy, tellParent } from "./child-side.ts";
import { openLedger, type Treatment } from "./payment-ledger.ts";

/** What the main process starts it with. */
export interface PaymentSettings {
  readonly ledgerPath: string;
  readonly seed: number;
  /** All waiting times are multiplied by this. */
  readonly pace: number;
}

/** Answers within `minMs`…`maxMs`; how many of 100 requests are treated so. The step's timeout is 1200 ms. */
const TREATMENTS: Readonly<
  Record<Treatment, { readonly percent: number; readonly minMs: number; readonly maxMs: number }>
> = {
  prompt: { percent: 58, minMs: 40, maxMs: 350 },
  fail: { percent: 16, minMs: 10, maxMs: 200 },
  stall: { percent: 8, minMs: 4000, maxMs: 5000 },
  hangUp: { percent: 10, minMs: 20, maxMs: 300 },
  late: { percent: 8, minMs: 1600, maxMs: 3000 },
};

const requestSchema = v.object({
  orderId: v.string(),
  amountCents: v.pipe(v.number(), v.integer(), v.minValue(1)),
  currency: v.picklist(["EUR", "USD", "GBP"]),
});

const settings = startedBy() as PaymentSettings;
const ledger = openLedger(settings.ledgerPath);
const chance = createChance(settings.seed + ledger.requestCount);
const app = new Hono<{ Bindings: HttpBindings }>();

app.post("/charges", async (context) => {
  const idempotencyKey = context.req.header("idempotency-key");
  const body = v.safeParse(requestSchema, await context.req.json().catch(() => null));
  if (idempotencyKey === undefined || !body.success)
    return context.json(
      { error: "idempotency-key, orderId, amountCents and currency, please" },
      400,
    );
  const treatment = chooseTreatment(chance() * 100);
  ledger.countRequest(idempotencyKey, treatment);
  const { minMs, maxMs } = TREATMENTS[treatment];
  const delayMs = (minMs + chance() * (maxMs - minMs)) * settings.pace;
  if (treatment === "fail" || treatment === "stall") {
    await wait(delayMs);
    return context.json({ error: "something went wrong on our side" }, 500);
  }
  if (treatment === "prompt") await wait(delayMs);
  const charge = ledger.charge(idempotencyKey, body.output);
  if (charge === null) return context.json({ error: "this key paid for something else" }, 409);
  if (treatment !== "prompt") await wait(delayMs);
  if (treatment === "hangUp") context.env.incoming.socket.destroy();
  return context.json({ chargeId: charge.chargeId });
});
app.get("/ledger", (context) => context.json(ledger.view()));
app.onError((error, context) => {
  reportTrouble(error, settings.ledgerPath);
  return context.json({ error: "something went wrong on our side" }, 500);
});

function chooseTreatment(dice: number): Treatment {
  let passed = 0;
  for (const [name, { percent }] of Object.entries(TREATMENTS)) {
    passed += percent;
    if (dice < passed) return name as Treatment;
  }
  return "prompt";
}

const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false });
server.listen(0, "127.0.0.1", () => {
  tellParent({ kind: "ready", url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
setInterval(
  () => tellParent({ kind: "charges", charges: ledger.chargeCount, requests: ledger.requestCount }),
  250,
);
