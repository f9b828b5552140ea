import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

export type TableProps<Row> = {
  readonly caption: string
  readonly head: readonly string[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row, index: number) => string
  /** The cells of a row; the first is the row header. */
  readonly cells: (row: Row) => readonly ComponentChildren[]
  /** Shown instead of a table without rows. */
  readonly empty: ComponentChildren
}

/** A table with a caption; it scrolls sideways when it is too wide. */
export function Table<Row>({ caption, head, rows, keyOf, cells, empty }: TableProps<Row>) {
  const id = useId()
  if (rows.length === 0) return <div class="empty">{empty}</div>
  return (
    // Focusable, because users without a pointer scroll with the keyboard.
    <div class="scroll" role="region" aria-labelledby={id} tabIndex={0}>
      <table>
        <caption id={id}>{caption}</caption>
        <thead>
          <tr>
            {head.map((text) => (
              <th scope="col" key={text}>
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(row, index)}>
              {cells(row).map((cell, column) =>
                column === 0 ? (
                  <th scope="row" key={head[column]}>
                    {cell}
                  </th>
                ) : (
                  <td key={head[column]}>{cell}</td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
