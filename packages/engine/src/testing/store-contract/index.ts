/** @module The tests that a store has to pass, on Vitest: for authors of stores. */
export { describeStoreContract } from "./contract.ts";
