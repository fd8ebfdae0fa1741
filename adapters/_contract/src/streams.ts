/** The stream of an instance, which continues while the run does if the platform allows such answers. */
import { describe, expect, test } from "vitest";
import { API, type Scene } from "./scene.ts";

const ORDER = `${API}/contract-order/instances`;

export function describeStreams(scene: () => Scene): void {
  describe("streams", () => {
    test("S6-017 the stream of an instance comes in every form, and ends", async () => {
      const { create, drive, load, send } = scene();
      await create("contract-order", "streamed");
      const read = async (accept: string, query = ""): Promise<string> => {
        const path = `${ORDER}/streamed/stream${query}`;
        const answer = await send({ path, headers: { accept } });
        expect(answer.headers.get("content-type")).toBe(accept);
        return answer.text();
      };
      const lines = "application/x-ndjson";
      expect(await read(lines, "?waitMs=0")).toBe('{"cursor":0,"ended":false}\n');
      await send({ method: "POST", path: `${ORDER}/streamed/terminate` });
      await drive(() => load("contract-order", "streamed"), { details: { status: "terminated" } });
      expect(await read(lines)).toBe('{"cursor":0,"ended":true}\n');
      expect(await read("text/event-stream")).toContain("event: end\n");
      const page = { entries: [], cursor: 0, missed: 0, ended: true };
      expect(JSON.parse(await read("application/json"))).toEqual(page);
    });
  });
}
