// The compiler says: Property 'params' is missing
import { engine } from "./shop.ts";

// @ts-expect-error
await engine.workflows.ORDER.create({ id: "a" });
