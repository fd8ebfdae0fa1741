/** An answer that is shared by many pages is the answer to their question, and never older than a command. */
import { expect, test } from "vitest";
import { answerOnce } from "./answer-once.ts";

const ask = async (answer: (request: Request) => Promise<Response>, path: string) =>
  (await answer(new Request(`http://h${path}`))).text();

test("S8-009 two questions never share an answer, however their paths and queries join", async () => {
  const answer = answerOnce(({ url }) => Promise.resolve(Response.json(url)));
  const paths = ["/api/b?q=", "/b?q=/api", "/?q=/api/b", "/api/b", "/b?q=/ap/i"];
  for (const path of paths) expect(await ask(answer, path)).toBe(`"http://h${path}"`);
});

test("S8-009 an answer that was on its way while something was done is not given to others", async () => {
  let status = "queued";
  let arrive = (): void => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const answer = answerOnce(async ({ method }) => {
    const seen = status;
    if (method === "POST") status = "terminated";
    else if (seen === "queued") await arrived;
    return Response.json(seen);
  });
  const early = ask(answer, "/a");
  await answer(new Request("http://h/a/terminate", { method: "POST" }));
  arrive();
  expect(await early).toBe(`"queued"`);
  expect(await ask(answer, "/a")).toBe(`"terminated"`);
});
