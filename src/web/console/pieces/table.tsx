import type { ComponentChildren } from 'preact'

type Props = {
  readonly caption: string
  readonly columns: readonly string[]
  /** The rows of the table: `tr` elements. */
  readonly children: ComponentChildren
}

/** A table with named columns; it scrolls sideways when it does not fit. */
export function Table({ caption, columns, children }: Props) {
  return (
    <div class="scroll" role="group" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

type RowProps = { readonly href: string; readonly name: string; readonly children: ComponentChildren }

/** A row whose header cell links to the item. The keys j and k move between rows. */
export function Row({ href, name, children }: RowProps) {
  return (
    <tr>
      <th scope="row">
        <a href={href} data-row>
          {name}
        </a>
      </th>
      {children}
    </tr>
  )
}
