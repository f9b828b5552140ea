import { PaymentSearchDocument, type PaymentSearchField, type PaymentRowFragment } from '../generated/graphql.ts'
import { AnswerFailure, ANY_EVENT, useAnswer } from '../pieces/answers.tsx'
import { Needs, Row, Table } from '../pieces/page.tsx'
import { Amount, Moment, Status } from '../pieces/values.tsx'
import { hrefOf } from '../routes/route.ts'

const MOST = 50

/** The payments, and links without a payment, that begin with a text, and what was searched for it. */
export function SearchResults({ text }: { readonly text: string }) {
  const found = useAnswer(PaymentSearchDocument, { text, first: MOST }, { concerns: ANY_EVENT })
  const { matches = [], hasMore = false } = found.data?.paymentSearch ?? {}
  const payments = matches.flatMap(({ payment, fields }) =>
    payment === null ? [] : [{ ...payment, foundBy: byOf(fields) }],
  )
  const links = matches.flatMap(({ link, fields }) => (link === null ? [] : [{ ...link, foundBy: byOf(fields) }]))
  return (
    <>
      <Searched />
      <AnswerFailure of={found} />
      {payments.length > 0 && <PaymentTable rows={payments} />}
      {links.map(({ id, reference, foundBy }) => (
        <p key={id} class="notice">
          The link <a href={hrefOf('links', id)}>{reference}</a> has no payment yet. It matched by {foundBy}.
        </p>
      ))}
      {hasMore && <p class="notice">There are more results. Enter a longer text to narrow them.</p>}
      {matches.length === 0 && (
        <p class="quiet" role="status">
          {found.isAsking ? 'Searching …' : found.error === undefined && `Nothing begins with “${text}”.`}
        </p>
      )}
    </>
  )
}

/** What is searched, and what the token lacks for the rest. */
function Searched() {
  return (
    <>
      <p class="quiet">
        What begins with the text, in small letters or capitals: references, ids of payments and links, and words of the
        payer’s name or the e-mail address. The address of a checkout page finds its link. An amount, or the last four
        digits of a card, find new payments.
      </p>
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

const COLUMNS = ['Reference', 'Amount', 'Phase', 'Status', 'Method', 'Updated']

type Props = { readonly rows: readonly (PaymentRowFragment & { readonly foundBy?: string })[] }

/** A table with one row per payment; with what a search has found it by, if it has. */
export function PaymentTable({ rows }: Props) {
  const isFound = rows.some(({ foundBy }) => foundBy !== undefined)
  return (
    <Table caption="Payments" columns={isFound ? [...COLUMNS, 'Matched'] : COLUMNS}>
      {rows.map(({ id, reference, link, phase, statusRaw, provisional, amount, methodRaw, updatedAt, foundBy }) => (
        <Row key={id} href={hrefOf('payments', id)} name={reference ?? link?.reference ?? id}>
          <td class="number">
            <Amount of={amount} />
          </td>
          <td>
            <Status of={phase} />
          </td>
          <td>
            {statusRaw}
            {provisional && ' (being checked)'}
          </td>
          <td>{methodRaw ?? '–'}</td>
          <td>
            <Moment at={updatedAt} />
          </td>
          {isFound && <td>{foundBy}</td>}
        </Row>
      ))}
    </Table>
  )
}
