// The compiler says: Type 'number' is not assignable to type 'string'
import { instance } from "./shop.ts";

// @ts-expect-error
await instance.sendEvent({ type: "approval", payload: { by: 1 } });
