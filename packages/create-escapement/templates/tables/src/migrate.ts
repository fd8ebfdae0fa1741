/** Brings the tables up to date; run it before each deployment. */
import { store } from "./store.ts";

await store.migrate();
await store.close();
