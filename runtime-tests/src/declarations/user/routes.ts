/** Handlers apart from a platform, ticks and metrics. */
import { dashboard, passwordAuth, withDashboard } from "@escapement/dashboard";
import { createFetchHandler, createTickHandler, createTickSigner } from "@escapement/engine/http";
import { collectMetrics } from "@escapement/engine/metrics";
import { createTickEngine } from "@escapement/engine/tick";
import { engine, order, store } from "./workflow.ts";

export const fetch = createFetchHandler(engine, { authorizeRequest: async () => undefined });
export const tickEngine = createTickEngine({ workflows: { ORDER: order }, store });
export const onTick = createTickHandler(tickEngine, { tick: {} });
export const sign = createTickSigner({ signingKeys: ["k"], audience: "a" });
export const metrics = collectMetrics(engine);
export const board = dashboard(engine, { authorize: passwordAuth("a long password") });
export const both = withDashboard(engine, { authorize: () => true });
