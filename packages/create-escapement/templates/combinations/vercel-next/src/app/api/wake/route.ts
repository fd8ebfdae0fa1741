/** Takes the queue's wakes. Only the queue can call it, because of its trigger in `vercel.json`. */
export async function POST(request: Request): Promise<Response> {
  const { takeWake } = await import("../../../engine.ts");
  return takeWake(request);
}
