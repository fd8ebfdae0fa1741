/** A process with a loop over the workflows of `small-heap.test.ts`, until it is killed. Argument: the database's URL. */
import { createEngine } from "@escapement/engine";
import { createSqlStore } from "@escapement/engine/store/sql";
import { openDatabase } from "../subjects/open-database.ts";
import { smallHeapWorkflows } from "./small-heap-workflows.ts";

const [, , url = ""] = process.argv;
const store = createSqlStore({ database: await openDatabase(url) });
createEngine({ workflows: smallHeapWorkflows, store }).startLoop({ pollMs: 200 });
