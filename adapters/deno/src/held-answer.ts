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
  const encoder = new TextEncoder();
  let beat: ReturnType<typeof setInterval>;
  let isLeft = false;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const send = (text: string): void => {
        if (!isLeft) controller.enqueue(encoder.encode(text));
      };
      send("\n");
      beat = setInterval(() => send("\n"), BEAT_MS);
      void answer
        .then((ended) => ended.text())
        .then((text) => {
          clearInterval(beat);
          send(text);
          if (!isLeft) controller.close();
        });
    },
    cancel: () => {
      isLeft = true;
      clearInterval(beat);
    },
  });
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  return new Response(body, { status: 202, headers });
}
