import { useEffect } from 'preact/hooks'
import { PaymentSearchDocument, type PaymentSearchField, type PaymentRowFragment } from '../generated/graphql.ts'
import { AnswerFailure, ANY_EVENT, useAnswer } from '../pieces/answers.tsx'
import { Moment } from '../pieces/moments.tsx'
import { Empty, Needs, RowLink, Skeleton, Table } from '../pieces/page.tsx'
import { Amount, capitalised, Status } from '../pieces/values.tsx'
import { hrefOf } from '../routes/route.ts'
import { useScope } from '../session/session.ts'
import { meaningsOf } from './payment-filter.ts'

const MOST = 50

/** The payments, and links without a payment, that begin with a text, and what was searched for it. */
export function SearchResults({ text }: { readonly text: string }) {
  const pii = useScope('payments:pii')
  const found = useAnswer(PaymentSearchDocument, { text, first: MOST, pii }, { concerns: ANY_EVENT })
  const { matches = [], hasMore = false } = found.data?.paymentSearch ?? {}
  const payments = matches.flatMap(({ payment, fields }) =>
    payment === null ? [] : [{ ...payment, foundBy: byOf(fields) }],
  )
  const links = matches.flatMap(({ link, fields }) => (link === null ? [] : [{ ...link, foundBy: byOf(fields) }]))
  const meanings = meaningsOf(text)
  const [meant] = meanings
  const isNothing = matches.length === 0 && !found.isAsking && found.error === undefined
  // A text that is found nowhere, and is a filter, filters.
  useEffect(() => {
    if (isNothing && meant !== undefined) location.replace(hrefOf('payments', null, meant.params))
  }, [isNothing])
  return (
    <>
      <AnswerFailure of={found} />
      {meanings.length > 0 && (
        <p class="note links">
          {meanings.map(({ name, params }) => (
            <a key={name} href={hrefOf('payments', null, params)}>
              Filter: {name}
            </a>
          ))}
        </p>
      )}
      <section class="card rows" aria-busy={found.isOld} aria-label="Found">
        {matches.length === 0 && found.isAsking && <Skeleton what="payments" />}
        {payments.length > 0 && <PaymentTable rows={payments} />}
        {isNothing && (
          <Empty title={`Nothing begins or ends with “${text}”.`}>
            <p>
              References and ids are matched from their beginning, as are words of the payer’s name and the e-mail
              address. The address of a checkout page finds its link. An amount, or the last four digits of a card, find
              new payments, as does the end of a reference or an id.
            </p>
          </Empty>
        )}
      </section>
      {links.map(({ id, reference, foundBy }) => (
        <p key={id} class="note">
          The link <a href={hrefOf('links', id)}>{reference}</a> has no payment yet. It matched by {foundBy}.
        </p>
      ))}
      {hasMore && <p class="note">There are more results. Enter a longer text to narrow them.</p>}
      <Needs scopes={['payments:pii']} what="Names and e-mail addresses">
        {null}
      </Needs>
    </>
  )
}

const FIELDS: Readonly<Record<PaymentSearchField, string>> = {
  REFERENCE: 'reference',
  PAYMENT_ID: 'payment id',
  LINK_ID: 'link id',
  AMOUNT: 'amount',
  CARD_LAST4: 'card',
  PAYER_NAME: 'payer’s name',
  PAYER_EMAIL: 'payer’s e-mail address',
}

function byOf(fields: readonly PaymentSearchField[]): string {
  return fields.map((field) => FIELDS[field]).join(', ')
}

export type PaymentRow = PaymentRowFragment & {
  readonly payer?: { readonly name: string | null; readonly email: string | null } | null
  /** What a search has found it by. */
  readonly foundBy?: string
}

type TableProps = {
  readonly rows: readonly PaymentRow[]
  /** Rows can be selected: by their checkboxes, or by the key x. */
  readonly selection?: {
    readonly picked: ReadonlySet<string>
    readonly onPick: (picked: ReadonlySet<string>) => void
  }
}

/** A table with one row per payment, with who paid where that may be seen. On a phone a row is a card. */
export function PaymentTable({ rows, selection }: TableProps) {
  const hasPayers = useScope('payments:pii')
  const isFound = rows.some(({ foundBy }) => foundBy !== undefined)
  const columns = [
    ['Amount', 'number'] as const,
    'Status',
    'Reference',
    ...(hasPayers ? ['Payer'] : []),
    'Method',
    ...(isFound ? ['Matched'] : []),
    ['Changed', 'number'] as const,
  ]
  return (
    <Table
      caption="Payments"
      columns={columns}
      isFolding
      pick={
        selection && (
          <Pick
            name="Select all on this page"
            isPicked={rows.every(({ id }) => selection.picked.has(id))}
            onPick={(isPicked) => selection.onPick(new Set(isPicked ? rows.map(({ id }) => id) : []))}
          />
        )
      }
    >
      {rows.map((row) => {
        const { id, reference, link, status, statusRaw, provisional, amount, updatedAt, foundBy } = row
        const payer = row.payer?.name ?? row.payer?.email
        return (
          <tr key={id}>
            {selection && (
              <td class="pick drop above">
                <Pick
                  name={`Select ${reference ?? link?.reference ?? id}`}
                  isPicked={selection.picked.has(id)}
                  onPick={(isPicked) => {
                    const others = [...selection.picked].filter((one) => one !== id)
                    selection.onPick(new Set(isPicked ? [...others, id] : others))
                  }}
                />
              </td>
            )}
            <td class="number lead">
              <Amount of={amount} />
            </td>
            <td class="end lead">
              <Status kind="PayinStatus" of={status} raw={statusRaw} />
              {provisional && <span class="note-tag look">being checked</span>}
            </td>
            <th scope="row">
              <RowLink href={hrefOf('payments', id)}>{reference ?? link?.reference ?? id}</RowLink>
              {payer != null && <span class="on-phone faint"> · {payer}</span>}
            </th>
            {hasPayers && <td class="drop payer">{payer ?? '–'}</td>}
            <td class="faint drop">{methodText(row)}</td>
            {isFound && <td class="faint drop">{foundBy}</td>}
            <td class="number faint end">
              <Moment at={updatedAt} inRow />
            </td>
          </tr>
        )
      })}
    </Table>
  )
}

type PickProps = {
  readonly name: string
  readonly isPicked: boolean
  readonly onPick: (isPicked: boolean) => void
}

function Pick({ name, isPicked, onPick }: PickProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        aria-label={name}
        checked={isPicked}
        onChange={(event) => onPick(event.currentTarget.checked)}
      />
    </label>
  )
}

function methodText({ method, methodRaw, card }: PaymentRowFragment): string {
  return [method?.name ?? methodRaw ?? '–', capitalised(card?.brand ?? ''), card?.last4].filter(Boolean).join(' ')
}
