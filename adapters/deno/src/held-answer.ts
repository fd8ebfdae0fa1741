/** An answer that begins at once and ends with the work. Its bytes keep the instance alive meanwhile. */

/**
 * Milliseconds between two bytes.
 *
 * @source https://docs.deno.com/deploy/reference/runtime/#shutdown, read 2026-11: an instance stops 5 s to 10 min after the last request
 * or byte of an answer
 */
const BEAT_MS = 2000;

/**
 * 202 at once. The body is blank lines, which JSON allows, until there is an answer, and then the answer's body. The work continues if
 * the caller leaves.
 */
export function answerHeld(answer: Promise<Response>): Response {
  const { readable, writable } = new TextEncoderStream();
  const writer = writable.getWriter();
  // Rejects once the caller has left.
  const send = (text: string): Promise<void> => writer.write(text).catch(() => undefined);
  void send("\n");
  const beat = setInterval(() => void send("\n"), BEAT_MS);
  const end = async (): Promise<void> => {
    const text = await (await answer).text();
    clearInterval(beat);
    await send(text);
    await writer.close().catch(() => undefined);
  };
  void end();
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  return new Response(readable, { status: 202, headers });
}
