import type { ComponentChildren } from 'preact'
import type { Route } from '../routes/route.ts'
import { type Answer, AnswerFailure } from './answers.tsx'
import { Pager, Table, Waiting } from './page.tsx'

/** Nodes on a page of a list. */
export const PAGE = 20

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
  readonly columns: readonly string[]
  /** Returns the row of a node. */
  readonly children: (node: Node) => ComponentChildren
}

/** A page of a list as a table, with why it could not be read, and links to other pages. */
export function List<Node>({ route, what, answer, list, columns, children }: Props<Node>) {
  const nodes = list?.nodes ?? []
  return (
    <>
      <AnswerFailure of={answer} />
      {nodes.length === 0 ? (
        <Waiting of={answer} what={what} more={list?.pageInfo.hasNextPage} />
      ) : (
        <Table caption={what.charAt(0).toUpperCase() + what.slice(1)} columns={columns}>
          {nodes.map(children)}
        </Table>
      )}
      {list !== undefined && list !== null && (
        <Pager route={route} page={list.pageInfo} isFull={nodes.length === PAGE} />
      )}
    </>
  )
}
