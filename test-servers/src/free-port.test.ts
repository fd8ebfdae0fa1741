import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { findFreePort } from "./free-port.ts";

afterEach(() => void vi.restoreAllMocks());

test("who asks for ports at one moment gets one each, and nobody listens on them", async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, findFreePort));
  expect(new Set(ports).size).toBe(20);
  for (const port of ports.slice(0, 10)) {
    const server = createServer().listen(port, "127.0.0.1");
    await once(server, "listening");
    server.close();
    await once(server, "close");
  }
});

test("a port that was given, or that somebody listens on, is not given again", async () => {
  const given = await findFreePort();
  const server = createServer().listen(await findFreePort(), "127.0.0.1");
  await once(server, "listening");
  const { port: taken } = server.address() as AddressInfo;
  const chance = [given, taken].map((port) => (port - 20_000 + 0.5) / 10_000);
  const { random } = Math;
  vi.spyOn(Math, "random").mockImplementation(() => chance.shift() ?? random());
  expect([given, taken]).not.toContain(await findFreePort());
  server.close();
  await once(server, "close");
});
