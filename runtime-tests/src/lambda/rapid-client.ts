/** The three calls of the runtime interface client's compiled part, by `fetch`. @source aws-lambda-ric 4.0.2, index.mjs */

const BASE = `http://${process.env["AWS_LAMBDA_RUNTIME_API"]}/2018-06-01/runtime/invocation`;

/** The compiled part has sent what it was given when its calls return; here the next call waits. */
let sending: Promise<unknown> = Promise.resolve();

function send(path: string, body: string): void {
  sending = fetch(`${BASE}/${path}`, { method: "POST", body });
}

export async function next(): Promise<{ readonly bodyJson: string; readonly headers: object }> {
  await sending;
  const response = await fetch(`${BASE}/next`);
  return { bodyJson: await response.text(), headers: Object.fromEntries(response.headers) };
}

export const done = (id: string, body: string): void => send(`${id}/response`, body);

export const error = (id: string, body: string): void => send(`${id}/error`, body);
