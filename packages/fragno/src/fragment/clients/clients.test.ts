/** The clients against a mounted fragment, as in a browser. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { defineWorkflow } from "../authoring.ts";
import { openScene, type Scene } from "../testing-scene.ts";
import { EMBEDDED } from "../testing-step-tx.ts";
import { createWorkflowsClients } from "./vanilla.ts";

const workflows = {
  WAIT: defineWorkflow({ name: "to wait" }, async (_event, step) => {
    const { payload } = await step.waitForEvent("go", { type: "go" });
    return payload;
  }),
} as const;

let scene: Scene<typeof workflows>;
let clients: ReturnType<typeof createWorkflowsClients>;
beforeAll(async () => {
  // Fragno's clients only fetch if there is a window.
  vi.stubGlobal("window", {});
  vi.stubGlobal("document", { addEventListener: () => undefined, hidden: false });
  vi.stubGlobal("addEventListener", () => undefined);
  scene = await openScene(EMBEDDED, { workflows });
  const fetcher: typeof fetch = (input, init) => {
    if (typeof input !== "string") throw new TypeError("clients fetch by address");
    return scene.fragment.handler(new Request(new URL(input, "http://app"), init));
  };
  clients = createWorkflowsClients({ fetcherConfig: { type: "function", fetcher } });
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await scene.close();
});

test("a client creates, sends events and reads, and reads again what its writes changed", async () => {
  const path = { workflowName: "to wait", instanceId: "a" };
  const instance = clients.useGetInstance({ path });
  const seen: unknown[] = [];
  await clients.useCreateInstance().mutate({ path, body: { id: "a" } });
  const stop = instance.subscribe(({ data }) => seen.push(data?.details.status));
  await vi.waitFor(() => expect(seen).toContain("queued"), { timeout: 60_000 });
  await scene.fragment.engine.tick();
  await clients.useSendEvent().mutate({ path, body: { type: "go", payload: 1 } });
  await vi.waitFor(() => expect(seen).toContain("waiting"), { timeout: 60_000 });
  await scene.fragment.engine.tick();
  await clients.useRestartInstance().mutate({ path });
  await vi.waitFor(() => expect(seen.at(-1)).toBe("queued"), { timeout: 60_000 });
  stop();
});

test("a refusal carries the API's code", async () => {
  const path = { workflowName: "to wait", instanceId: "nobody" };
  const pause = clients.usePauseInstance();
  const seen: unknown[] = [];
  const stop = pause.subscribe(({ error }) => seen.push(error?.code));
  await pause.mutate({ path });
  stop();
  expect(seen).toContain("INSTANCE_NOT_FOUND");
});
