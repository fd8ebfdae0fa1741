/** @module The store on Postgres, as `@escapement/engine/postgres` has it, for projects that install `@escapement/node` alone. */
export { postgres } from "@escapement/engine/postgres";
