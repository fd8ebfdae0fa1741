/** A table with a header, which scrolls if it is wider than the screen. */
import type { ComponentChildren, JSX } from "preact";

/** A column's name, and the class of its cells. */
export type Column = string | readonly [name: string, className: string];

interface Parts {
  /** A label for screen readers. */
  readonly label: string;
  readonly columns: readonly Column[];
  /** CSS class of the table. */
  readonly class?: string;
  /** Its rows. */
  readonly children: ComponentChildren;
}

export function Table({ label, columns, class: className, children }: Parts): JSX.Element {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table class={className}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column} column={column} />
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function Head({ column }: { readonly column: Column }): JSX.Element {
  const [name, className] = typeof column === "string" ? [column] : column;
  return (
    <th scope="col" class={className}>
      {name}
    </th>
  );
}
