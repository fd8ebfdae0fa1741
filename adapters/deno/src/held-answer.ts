/** An answer that begins at once and ends with the work: its bytes keep the instance alive meanwhile. */

/**
 * Milliseconds between two bytes.
 *
 * @source https://docs.deno.com/deploy/reference/runtime/#shutdown, read 2026-11: stopped after 5 s to 10 min without
 * requests or bytes of answers
 */
const BEAT_MS = 2000;

/**
 * 202 at once; the body is blank lines, which JSON allows, until there is an answer, and then its body. The work goes on
 * when the caller leaves.
 */
export function answerHeld(answer: Promise<Response>): Response {
  const { readable, writable } = new TextEncoderStream();
  const writer = writable.getWriter();
  // Fails once the caller has left.
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
