/** One SQLite file that processes share, on a small disk where one can be mounted. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { mountSmallDisk, temporaryDirectory } from "@escapement-internal/test-servers";
import type { Subject } from "./subject.ts";

const DISK_MIB = 200;

export function openFileSubject(): Promise<Subject> {
  const disk = mountSmallDisk(DISK_MIB);
  const directory = disk ?? temporaryDirectory();
  const url = pathToFileURL(join(directory.path, "data.db")).href;
  return Promise.resolve({
    name: "file",
    url,
    directUrl: url,
    faults:
      disk === null
        ? {}
        : { fillDisk: () => disk.fill(), freeDisk: () => Promise.resolve(disk.free()) },
    remove: () => Promise.resolve(directory.remove()),
  });
}
