/** A client as somebody writes one. */
import type { Database } from "@escapement/db";

export declare function createMyDatabase(url: string): Database;
