/** Requests of a client with credentials. */
import { expect } from "vitest";
import { createTestingClient, type Answer } from "./testing-client.ts";

export const json = { "content-type": "application/json" };

/** Sends a request, and checks that nothing was written. */
export async function sendInvalid(
  ...call: Parameters<ReturnType<typeof createTestingClient>["send"]>
): Promise<Answer> {
  const client = createTestingClient();
  const answer = await client.send(...call);
  expect(client.service.countCreated()).toBe(0);
  expect(client.service.ticks).toEqual([]);
  return answer;
}
