import type { ComponentChildren } from 'preact'
import type { Route } from '../routes/route.ts'
import { type Answer, AnswerFailure } from './answers.tsx'
import { Pager, Table, Waiting } from './page.tsx'
import { capitalised } from './values.tsx'

/** Nodes on a page of a list. */
export const PAGE = 50

type Props<Node> = {
  readonly route: Route
  /** What the nodes are, in the plural. */
  readonly what: string
  readonly answer: Answer<unknown>
  /** The list of the answer; null or undefined if it has none. */
  readonly list:
    | {
        readonly nodes: readonly Node[]
        readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
      }
    | null
    | undefined
  readonly columns: Parameters<typeof Table>[0]['columns']
  /** On a phone each row is a card of two lines. */
  readonly isFolding?: boolean
  /** Returns the row of a node. */
  readonly children: (node: Node) => ComponentChildren
}

/**
 * A page of a list as a table in a card, with why it could not be read, and links to other pages. While the rows are those of another filter
 * they are dimmed.
 */
export function List<Node>({ route, what, answer, list, columns, isFolding = false, children }: Props<Node>) {
  const nodes = list?.nodes ?? []
  return (
    <>
      <AnswerFailure of={answer} />
      <section class="card rows" aria-busy={answer.isOld} aria-label={capitalised(what)}>
        {nodes.length === 0 ? (
          <Waiting of={answer} what={what} more={list?.pageInfo.hasNextPage} />
        ) : (
          <Table caption={capitalised(what)} columns={columns} isFolding={isFolding}>
            {nodes.map(children)}
          </Table>
        )}
      </section>
      {list !== undefined && list !== null && (
        <Pager route={route} page={list.pageInfo} isFull={nodes.length === PAGE} />
      )}
    </>
  )
}
