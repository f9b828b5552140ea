import type { ComponentChildren } from 'preact'

type Props = {
  readonly caption: string
  readonly columns: readonly string[]
  /** Rows of the table: `tr` elements. */
  readonly children: ComponentChildren
}

/** A table with named columns that scrolls sideways where it does not fit. */
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

/** A row whose head leads to the thing itself. The keys j and k go from one to the next. */
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
