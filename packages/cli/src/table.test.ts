/** Tables, cell by cell. */
import { expect, test } from "vitest";
import { toPlainJson, toPlainText } from "./plain-text.ts";
import { toTable } from "./table.ts";

const COLUMNS = [
  { title: "ID", mayBeCut: false },
  { title: "TAGS", mayBeCut: true },
  { title: "ERROR", mayBeCut: true },
];
const widest = (table: string): number => Math.max(...table.split("\n").map((line) => line.length));

test("columns without a text are left out, and lines end with their last text", () => {
  expect(
    toTable(
      COLUMNS,
      [
        ["a", "", "E: no"],
        ["bbb", "", ""],
      ],
      null,
    ),
  ).toBe("ID   ERROR\na    E: no\nbbb\n");
});

test.each([20, 31, 40, 57, 80, 200])(
  "a table is no wider than %i characters where cuts can make it so",
  (width) => {
    const rows = [
      ["id-1", "t".repeat(30), "e".repeat(90)],
      ["id-22", "t", "e".repeat(20)],
    ];
    const table = toTable(COLUMNS, rows, width);
    expect(widest(table)).toBeLessThanOrEqual(Math.max(width, 5 + 2 + 8 + 2 + 8));
    expect(table).toContain("id-22");
  },
);

test("a cut shows that it is one, and wide characters count twice", () => {
  expect(toTable([{ title: "TAGS", mayBeCut: true }], [["漢字漢字漢字"]], 8)).toBe(
    "TAGS\n漢字漢…\n",
  );
});

test("nothing that acts on a terminal is left, and JSON means what it meant", () => {
  const all = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code)).join("");
  const unsafe = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;
  expect(toPlainText(`${all}\ufeff`)).not.toMatch(unsafe);
  expect(toPlainJson(`${all}\ufeff`, 0)).not.toMatch(unsafe);
  expect(JSON.parse(toPlainJson({ [all]: `${all}\ufeff` }, 2))).toEqual({ [all]: `${all}\ufeff` });
});
