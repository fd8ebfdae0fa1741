/** Bodies that nobody means well with, and requests that never end. */
import type { HostileRequest } from "./attacker.ts";
import { JSON_TYPE, LIST, MIB, type Parts, post, request, SECRET, TICK } from "./request.ts";

const repeat = (text: string, sizeBytes: number): string =>
  text.repeat(Math.floor(sizeBytes / text.length));
const list = (member: string, sizeBytes: number): string => `[${repeat(`${member},`, sizeBytes)}0]`;
const distinctKeys = (count: number): string =>
  `{${Array.from({ length: count }, (_, n) => `"k${n}":0`).join(",")}}`;

/** As params, as a payload, and as the whole. */
const VALUES: readonly (readonly [string, string])[] = [
  ["zeros, 1.9 MiB", list("0", 1.9 * MIB)],
  ["zeros, 95 000", list("0", 190_000)],
  ["objects, 1.9 MiB", list("{}", 1.9 * MIB)],
  ["objects, 99 000", list("{}", 297_000)],
  ["arrays, 99 000", list("[]", 297_000)],
  ["texts, 99 000", list('"abcdef"', 891_000)],
  ["wrong members, 99 000", list("true", 495_000)],
  ["pairs, 49 000", list('{"a":1}', 392_000)],
  ["keys, 90 000", distinctKeys(90_000)],
  ["brackets, 100 000 deep", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
  ["objects, 100 000 deep", `${'{"a":'.repeat(100_000)}0${"}".repeat(100_000)}`],
  ["brackets, 999 deep", `${"[".repeat(990)}${"]".repeat(990)}`],
  ["unclosed", "[".repeat(1_900_000)],
  ["a text of 1.9 MiB", `"${"x".repeat(1.9 * MIB)}"`],
  ["escapes, 1.9 MiB", `"${repeat("\\u0041", 1.9 * MIB)}"`],
  ["backslashes", `"${"\\".repeat(1_900_000)}"`],
  ["quotes", '"'.repeat(1_000_000)],
  ["a number of 1 MB", "9".repeat(1_000_000)],
  ["1e400", "1e400"],
  ["-1e400", "-1e400"],
  ["1e-400", "1e-400"],
  ["a long fraction", `0.${"1".repeat(500_000)}`],
  ["NaN", "NaN"],
  ["a hexadecimal", "0x10"],
  ["a lone surrogate", '"\\ud800"'],
  ["a reversed pair", '"\\udc00\\ud800"'],
  ["NUL", '"\\u0000"'],
  ["NUL in a key", '{"\\u0000":1}'],
  ["__proto__", '{"__proto__":{"polluted":true}}'],
  ["constructor", '{"constructor":{"prototype":{"polluted":true}}}'],
  ["toJSON", '{"toJSON":1,"then":1,"valueOf":1}'],
  ["one key twice", '{"a":1,"a":2}'],
  ["an empty key", '{"":1}'],
  ["a key of 1 MB", `{"${"k".repeat(1_000_000)}":1}`],
  ["words of other formats", '{"$ref":"#","__type":"Date","meta":{"values":["Date"]},"json":0}'],
  ["tagged text", '["~date","x"]'],
  ["an emoji", '"\\ud83d\\ude00"'],
  ["white space, 1.9 MiB", `${" ".repeat(1.9 * MIB)}1`],
];
const values = VALUES.flatMap(([name, value], index) => [
  post(`params: ${name}`, LIST, `{"id":"v${index}","params":${value}}`),
  post(`payload: ${name}`, `${LIST}/here/events`, `{"type":"t${index}","payload":${value}}`),
  post(`batch: ${name}`, `${LIST}/batch`, `{"instances":[{"id":"b${index}","params":${value}}]}`),
  post(`body: ${name}`, LIST, value),
]);

const BODIES: readonly (readonly [string, string, string | Uint8Array])[] = [
  ["a batch of zeros, 1 MiB", `${LIST}/batch`, `{"instances":${list("0", MIB)}}`],
  ["a batch of zeros, 3.9 MiB", `${LIST}/batch`, `{"instances":${list("0", 3.9 * MIB)}}`],
  ["a batch of zeros, 16 MiB", `${LIST}/batch`, `{"instances":${list("0", 16 * MIB)}}`],
  ["a batch of members, 99 000", `${LIST}/batch`, `{"instances":${list('{"id":1}', 300_000)}}`],
  ["a batch of 90 wrong ones", `${LIST}/batch`, `{"instances":${list("{}", 270)}}`],
  [
    "a batch of 101",
    `${LIST}/batch`,
    JSON.stringify({ instances: Array.from({ length: 101 }, (_, n) => ({ id: `n${n}` })) }),
  ],
  [
    "a batch of one id",
    `${LIST}/batch`,
    JSON.stringify({ instances: Array.from({ length: 100 }, () => ({ id: "same" })) }),
  ],
  ["a batch of nothing", `${LIST}/batch`, '{"instances":[]}'],
  ["a batch that is no list", `${LIST}/batch`, '{"instances":{"length":1e9}}'],
  [
    "a batch of unknown fields",
    `${LIST}/batch`,
    `{"instances":[${repeat('{"id":"a","b":1},', 1500)}{"id":"z"}]}`,
  ],
  ["16 MiB to create", LIST, "x".repeat(16 * MIB)],
  ["unknown fields, 90 000", LIST, distinctKeys(90_000)],
  ["a byte order mark", LIST, Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d])],
  ["UTF-16", LIST, Buffer.from("{}", "utf16le")],
  ["no UTF-8", LIST, Buffer.from([0x22, 0xff, 0xfe, 0x22])],
  ["random bytes", LIST, Buffer.from(Array.from({ length: 5000 }, (_, n) => (n * 7919) % 256))],
  ["NULs", LIST, Buffer.alloc(100_000)],
  ["an id of 1 MB", LIST, `{"id":"${"x".repeat(1_000_000)}"}`],
  ["an id with NUL", LIST, '{"id":"a\\u0000b"}'],
  ["an id of a path", LIST, '{"id":"../../x"}'],
  ["an empty id", LIST, '{"id":""}'],
  ["an id that is a number", LIST, '{"id":1}'],
  ["an unknown onExisting", LIST, '{"onExisting":"explode"}'],
  ["an event type of 1 MB", `${LIST}/here/events`, `{"type":"${"t".repeat(1_000_000)}"}`],
  ["an event type with NUL", `${LIST}/here/events`, '{"type":"\\u0000"}'],
  [
    "an event id of 1 MB",
    `${LIST}/here/events`,
    `{"type":"t","eventId":"${"e".repeat(1_000_000)}"}`,
  ],
  ["an event without a type", `${LIST}/here/events`, "{}"],
  ["a restart of run 1e300", `${LIST}/here/restart`, '{"ifRunNumber":1e300}'],
  ["a pause of 1.9 MiB", `${LIST}/none/pause`, "x".repeat(1.9 * MIB)],
];
const bodies = BODIES.map(([name, path, body]) => post(name, path, body));

const TYPES = [
  "",
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/json; charset=utf-16",
  `application/${"a.".repeat(5000)}+json`,
  "application/+json",
  "json",
  "APPLICATION/JSON",
  `application/json;${";".repeat(5000)}`,
].map((type) =>
  request(`content type ${type.slice(0, 40)}`, {
    method: "POST",
    body: "{}",
    headers: `content-type: ${type}\r\n`,
  }),
);

const encoded = ["gzip", "br", "deflate", "zstd", "identity", "gzip, gzip, gzip"].map(
  (encoding) => {
    // What would be 16 MiB of zeros, if anybody inflated it.
    const bomb = Buffer.from(
      "1f8b0800000000000003edc1010d000000c2a0f74f6d0e37a0000000000000000000000000",
      "hex",
    );
    return post(`content encoding ${encoding}`, LIST, bomb, `content-encoding: ${encoding}\r\n`);
  },
);

const bearer = `authorization: Bearer ${SECRET}\r\n`;
const ticks = [
  ["{", "{"],
  ["a list", "[]"],
  ["null", "null"],
  ["__proto__", '{"__proto__":1}'],
  ["a fraction", '{"maxSteps":0.5}'],
  ["infinity", '{"maxInstances":1e400}'],
  ["a text", '{"maxInstances":"1"}'],
  ["15 KB", `{"maxSteps":${"1".repeat(15_000)}}`],
  ["17 KB", "x".repeat(17_000)],
].map(([name = "", body = ""]) => post(`tick: ${name}`, TICK, body, bearer));

const half = (name: string, parts: Parts): readonly HostileRequest[] => [
  request(`${name}, then silent`, { ...parts, cut: "silent" }),
  request(`${name}, then gone`, { ...parts, cut: "gone" }),
];
const slow = [LIST, `${LIST}/batch`, `${LIST}/here/events`, TICK].flatMap((path) =>
  [
    half(`half a body to ${path}`, {
      method: "POST",
      path,
      headers: JSON_TYPE + bearer,
      body: '{"id":',
      length: "1000000",
    }),
    half(`a megabyte of four to ${path}`, {
      method: "POST",
      path,
      headers: JSON_TYPE + bearer,
      body: "x".repeat(MIB),
      length: String(4 * MIB),
    }),
    half(`a broken chunk to ${path}`, {
      method: "POST",
      path,
      headers: `${JSON_TYPE}transfer-encoding: chunked\r\n`,
      body: "zz\r\n",
      length: null,
    }),
  ].flat(),
);
const cutHeads: readonly HostileRequest[] = [
  "GET / HT",
  "GET / HTTP/1.1\r\nhost: x\r\nx-a: ",
  "\r\n\r\n\r\n",
  "\u0016\u0003\u0001",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
].map((head, index) => ({ name: `half a head ${index}`, head, cut: "silent" }));

export const BODY_REQUESTS: readonly HostileRequest[] = [
  ...values,
  ...bodies,
  ...TYPES,
  ...encoded,
  ...ticks,
  ...slow,
  ...cutHeads,
];
