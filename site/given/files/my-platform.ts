/** A fixture as the author of an adapter writes one. */
import type { AdapterSubject } from "@escapement/adapter-contract";

export declare const openMyPlatform: AdapterSubject["open"];
