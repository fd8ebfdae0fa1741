/** @module The store on a SQLite file, as `@escapement/engine/sqlite` has it, for projects that install `@escapement/node` alone. */
export { sqlite } from "@escapement/engine/sqlite";
