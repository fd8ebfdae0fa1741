/** Plays the workflow of a made project over its HTTP API, as its page says. */

export interface PlayedSignup {
  readonly status: string;
  readonly output?: unknown;
}

const GIVE_UP_MS = 60_000;

/** Creates a signup, confirms it, and gives what it came to. */
export async function playSignup(api: string, token: string, id: string): Promise<PlayedSignup> {
  const instances = `${api}/workflows/signup/instances`;
  await send(token, instances, { id, params: { email: "ada@example.com" } });
  const confirmation = { type: "confirmed", payload: { at: "today" } };
  await send(token, `${instances}/${id}/events`, confirmation);
  const giveUpAt = Date.now() + GIVE_UP_MS;
  for (;;) {
    const { details } = (await send(token, `${instances}/${id}`)) as { details: PlayedSignup };
    if (details.status === "complete" || details.status === "errored") return details;
    if (Date.now() > giveUpAt) throw new Error(`still ${JSON.stringify(details)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** With a body it is a POST. */
async function send(token: string, url: string, body?: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(url, { ...init, headers });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response.json();
}
