import { PaymentSearchDocument, type PaymentSearchField } from '../generated/graphql.ts'
import { AnswerFailure } from '../pieces/failures.tsx'
import { Needs } from '../pieces/needs.tsx'
import { ANY_EVENT, useAnswer } from '../pieces/use-answer.ts'
import { hrefOf } from '../routes/route.ts'
import { PaymentTable } from './payment-table.tsx'

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
          The link <a href={hrefOf('links', id)}>{reference}</a> has no payment yet. Found by {foundBy}.
        </p>
      ))}
      {hasMore && <p class="notice">There are more. A longer text finds fewer.</p>}
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
        What begins with the text, in small letters or capitals: references, ids of payments and links, and the payer’s
        name, last name or e-mail address. The address of a checkout page finds its link.
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
  PAYER_NAME: 'payer’s name',
  PAYER_EMAIL: 'payer’s e-mail address',
}

function byOf(fields: readonly PaymentSearchField[]): string {
  return fields.map((field) => FIELDS[field]).join(', ')
}
