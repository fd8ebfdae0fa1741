/** Invocations that are killed at a known instant. What virtual time can show is tested in the engine. */
import { expect, test } from "vitest";
import { API, complete, type Scene } from "./scene.ts";
import type { AdapterWake } from "./subject.ts";

const ONCE = { first: 1, second: 1, third: 1 };
/** Less than the 5 s that a body is expected to take, so that a tick starts one body and not a second. */
const ONE_BODY_MS = 4000;

export function describeDeadlines(scene: () => Scene): void {
  test("S9-013 a tick ends before its deadline and hands over only after progress", () =>
    expectHandOver(scene()));

  test.each([1, 10, 60, 900])(
    "S9-013 with %i s to live no step that fits is cut off: every body runs once",
    async (seconds) => {
      const { bodiesOf, create, load, takeWakes } = scene();
      const id = `fits-${seconds}`;
      takeWakes();
      await create("contract-steps", id);
      const wakes = [...takeWakes()];
      const deliverAndLook = async (): Promise<unknown> => {
        const [wake] = wakes;
        await wake?.deliver({ remainingMs: seconds * 1000 });
        // On a busy machine, a second may pass before anything is claimed. Then the same wake is delivered once more.
        wakes.unshift(...takeWakes().filter(({ at }) => at === null));
        return load("contract-steps", id);
      };
      await expect
        .poll(deliverAndLook, { interval: 10, timeout: 60_000 })
        .toMatchObject(complete("done"));
      expect(await bodiesOf(id)).toEqual(ONCE);
      expect(await loadSteps(scene(), "contract-steps", id)).toMatchObject([
        { attempts: 1, lostAttempts: 0 },
        { attempts: 1, lostAttempts: 0 },
        { attempts: 1, lostAttempts: 0 },
      ]);
    },
  );

  test("a step that fits into no invocation fails its instance by code once its attempts are used up", async () => {
    const { bodiesOf, create, load, takeWakes } = scene();
    takeWakes();
    await create("contract-endless", "endless");
    const wake = takeWakes().find(({ at }) => at === null);
    const deliverAndLook = async (): Promise<unknown> => {
      await wake?.deliver({ remainingMs: 1000 });
      return load("contract-endless", "endless");
    };
    const error = { name: "StepMaxAttemptsExceeded" };
    await expect
      .poll(deliverAndLook, { interval: 10, timeout: 60_000 })
      .toMatchObject({ details: { status: "errored", error } });
    expect(await bodiesOf("endless")).toEqual({ endless: 1 });
    expect(await loadSteps(scene(), "contract-endless", "endless")).toMatchObject([
      { attempts: 0, lostAttempts: 1 },
    ]);
    takeWakes();
  });
}

async function loadSteps({ send }: Scene, workflowName: string, id: string): Promise<unknown> {
  const answer = await send({ path: `${API}/${workflowName}/instances/${id}/history` });
  return ((await answer.json()) as { readonly steps: unknown }).steps;
}

async function expectHandOver({ bodiesOf, create, load, takeWakes }: Scene): Promise<void> {
  takeWakes();
  await create("contract-steps", "handed-over");
  const next = (): AdapterWake | undefined => takeWakes().find(({ at }) => at === null);
  let wake = next();
  let invocations = 0;
  for (; wake !== undefined && invocations < 10; invocations += 1) {
    const began = Date.now();
    await wake.deliver({ remainingMs: ONE_BODY_MS });
    expect(Date.now() - began).toBeLessThan(ONE_BODY_MS);
    wake = next();
  }
  expect(invocations).toBe(3);
  expect(await load("contract-steps", "handed-over")).toMatchObject(complete("done"));
  expect(await bodiesOf("handed-over")).toEqual(ONCE);
}
