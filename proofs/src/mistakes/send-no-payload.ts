// The compiler says: Property 'payload' is missing
import { instance } from "./shop.ts";

// @ts-expect-error
await instance.sendEvent({ type: "approval" });
