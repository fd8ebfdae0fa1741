// The compiler says: Property 'ODER' does not exist
import { engine } from "./shop.ts";

// @ts-expect-error
await engine.workflows.ODER.get("a");
