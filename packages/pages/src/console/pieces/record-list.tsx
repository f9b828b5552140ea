import type { ComponentChildren } from 'preact'
import type { TypedDocumentString } from '../generated/graphql.ts'
import { hrefOf, type Route } from '../routes/route.ts'
import { useAnswer } from './answers.tsx'
import { FilterForm, filterOf, madeIn, PeriodChip, SearchField, TextChip } from './filter-form.tsx'
import { List, PAGE } from './list.tsx'
import type { FeedEvent } from './log-changes.ts'
import { Moment } from './moments.tsx'
import { Page, RowLink, Tabs } from './page.tsx'
import { lookOf, type StatusKind } from './statuses.ts'
import { Amount, type AmountValue, Status } from './values.tsx'

type Row = {
  readonly id: string
  readonly amount: AmountValue | null
  readonly status: string
  readonly statusRaw?: string
  /** What a person should see beside the status. */
  readonly mark?: ComponentChildren
  readonly name: string
  readonly cells: readonly ComponentChildren[]
  /** The instant of the last column; null where none is known. */
  readonly at: string | null
}

type Variables<Status, Filter> = {
  readonly first: number
  readonly after: string | null
  readonly filter: Filter & ReturnType<typeof madeIn> & { readonly [of: string]: readonly Status[] | string | null }
}

type Props<Data, Node, Status extends string, Filter> = {
  readonly route: Route
  /** What is listed, in the plural. */
  readonly title: string
  // The generated variables of the lists differ in the names of their filters alone.
  readonly document: TypedDocumentString<Data, never>
  readonly listOf: (data: Data) => Parameters<typeof List<Node>>[0]['list']
  readonly concerns: (event: FeedEvent) => boolean
  /** The enum of the rows' status. */
  readonly kind: StatusKind
  /** The statuses that filter, as tabs: the name of the filter, its enum and its values. */
  readonly by: { readonly name: 'statuses' | 'phases'; readonly kind: StatusKind; readonly values: readonly Status[] }
  /** What the search finds, and its name in the filter. */
  readonly search: { readonly label: string; readonly name: keyof Filter & string }
  /** Filters of typed text: label by name in the filter. */
  readonly chips?: Readonly<Record<string, string>>
  /** The heads of the columns between the name and the instant, and of the instant. */
  readonly columns: readonly string[]
  readonly actions?: ComponentChildren
  readonly rowOf: (node: Node) => Row
  /** What is shown above the list. */
  readonly children?: ComponentChildren
}

/** Records of one kind, newest first: amount, status and name of each, filtered by status, name and creation. */
export function RecordList<Data, Node, Status extends string, Filter extends object>({
  route,
  title,
  document,
  listOf,
  concerns,
  kind,
  by,
  search,
  chips = {},
  columns,
  actions,
  rowOf,
  children,
}: Props<Data, Node, Status, Filter>) {
  const { view, params } = route
  const given = Object.fromEntries(Object.keys(chips).map((name) => [name, params.get(name)]))
  const variables = {
    first: PAGE,
    after: params.get('after'),
    filter: {
      ...given,
      [search.name]: params.get('q'),
      [by.name]: filterOf(params, 'status', by.values),
      ...madeIn(params),
    },
  } as unknown as Variables<Status, Filter>
  const answer = useAnswer(document as unknown as TypedDocumentString<Data, Variables<Status, Filter>>, variables, {
    concerns,
  })
  const others = { ...Object.fromEntries(params), after: null }
  const chosen = params.get('status')
  const tab = (name: string, status: string | null) => ({
    name,
    href: hrefOf(view.name, null, { ...others, status }),
    isCurrent: chosen === status,
  })
  return (
    <Page title={title} actions={actions}>
      <Tabs
        label="Status"
        tabs={[tab('All', null), ...by.values.map((value) => tab(lookOf(by.kind, value).word, value))]}
      />
      <FilterForm route={route} label={title} search={<SearchField name="q" label={search.label} params={params} />}>
        <PeriodChip label="Created" params={params} />
        {Object.entries(chips).map(([name, label]) => (
          <TextChip key={name} name={name} label={label} params={params} />
        ))}
      </FilterForm>
      {children}
      <List
        route={route}
        what={title.toLowerCase()}
        answer={answer}
        list={answer.data === undefined ? null : listOf(answer.data)}
        columns={[
          ['Amount', 'number'],
          'Status',
          'Reference',
          ...columns.slice(0, -1),
          [columns.at(-1) ?? '', 'number'],
        ]}
        isFolding
      >
        {(node) => {
          const { id, amount, status, statusRaw, mark, name, cells, at } = rowOf(node)
          return (
            <tr key={id}>
              <td class="number lead">
                <Amount of={amount} />
              </td>
              <td class="end lead">
                <Status kind={kind} of={status} raw={statusRaw ?? null} />
                {mark}
              </td>
              <th scope="row">
                <RowLink href={hrefOf(view.name, id)}>{name}</RowLink>
              </th>
              {cells.map((cell, index) => (
                <td key={columns[index]} class="faint drop">
                  {cell ?? '–'}
                </td>
              ))}
              <td class="number faint end">
                <Moment at={at} inRow />
              </td>
            </tr>
          )
        }}
      </List>
    </Page>
  )
}
