/** CRC-32 of a file's lines, as they are read. It detects a file that was cut or damaged, and says nothing about who wrote it. */

/** Reflected polynomial. @source ISO 3309; RFC 1952 §8, read 2026-11-27 */
const POLYNOMIAL = 0xedb8_8320;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1)
    value = (value & 1) === 1 ? POLYNOMIAL ^ (value >>> 1) : value >>> 1;
  return value;
});

/** Continues a sum. @param sum 0: nothing was added yet @returns the CRC of all bytes so far */
export function addToCrc32(sum: number, bytes: Uint8Array): number {
  let crc = ~sum;
  for (const byte of bytes) crc = (TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** Eight hexadecimal digits. */
export const toCrc32Text = (sum: number): string => sum.toString(16).padStart(8, "0");
