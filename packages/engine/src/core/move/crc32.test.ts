import { expect, test } from "vitest";
import { addToCrc32, toCrc32Text } from "./crc32.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

test("S8-006 the sum of an export is the CRC-32 that other tools compute", () => {
  // The check value of CRC-32/ISO-HDLC. @source reveng.sourceforge.io/crc-catalogue, read 2026-11-27
  expect(toCrc32Text(addToCrc32(0, bytesOf("123456789")))).toBe("cbf43926");
  expect(toCrc32Text(addToCrc32(0, bytesOf("")))).toBe("00000000");
});

test("S8-006 a sum goes on where it was left", () => {
  const half = addToCrc32(0, bytesOf("1234"));
  expect(addToCrc32(half, bytesOf("56789"))).toBe(addToCrc32(0, bytesOf("123456789")));
});
