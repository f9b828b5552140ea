import { ContactsOfDaysDocument, type ContactsOfDaysQuery } from '../generated/graphql.ts'
import { AnswerFailure, useAnswer } from '../pieces/answers.tsx'
import { Needs, Page, Waiting, Table } from '../pieces/page.tsx'
import { Status, wordsOf } from '../pieces/values.tsx'
import { hrefOf, type Route } from '../routes/route.ts'
import { useSession } from '../session/session.ts'

const COLUMNS = ['Contact', 'E-mail', 'Identity', 'Reason', 'Kind', 'Country', 'Account']
const DAYS = 30
const DAY_MS = 24 * 3_600_000
/** Milliseconds between two reads: each asks the payments API. */
const EVERY_MS = 60_000

type Contact = NonNullable<ContactsOfDaysQuery['paymentContacts']>['nodes'][number]

/** The contacts of the last days with the state of their identity checks. Nothing of them is in the address of the page. */
export function Contacts({ route: { view, params } }: { readonly route: Route }) {
  const { claims } = useSession()
  const page = pageOf(params)
  const now = Date.now()
  const variables = {
    from: dayOf(now - DAYS * DAY_MS),
    to: dayOf(now),
    page,
    pii: claims.scopes.has('customers:pii'),
  }
  const answer = useAnswer(ContactsOfDaysDocument, variables, { everyMs: EVERY_MS })
  const list = answer.data?.paymentContacts ?? null
  return (
    <Page title="Contacts">
      <p>Made within the last {DAYS} days, read from the payments API.</p>
      <Needs scopes={['customers:pii']} what="Names and addresses">
        {null}
      </Needs>
      <AnswerFailure of={answer} />
      {list === null || list.nodes.length === 0 ? (
        <Waiting of={answer} what="contacts" />
      ) : (
        <Table caption="Contacts" columns={COLUMNS}>
          {list.nodes.map((contact, index) => (
            <ContactRow key={`${contact.site} ${index}`} contact={contact} />
          ))}
        </Table>
      )}
      <nav class="pager" aria-label="Pages of contacts">
        {page > 1 && <a href={hrefOf(view.name)}>First page</a>}
        {list !== null && page < (list.totalPages ?? 1) && (
          <a href={hrefOf(view.name, null, { page: String(page + 1) })}>Next page</a>
        )}
      </nav>
    </Page>
  )
}

function ContactRow({ contact }: { readonly contact: Contact }) {
  const { personal, nameMasked, emailMasked, identityStatus, identityResults, type, countryCode, site } = contact
  const name = [personal?.firstName, personal?.lastName].filter(Boolean).join(' ')
  return (
    <tr>
      <th scope="row">{name === '' ? (nameMasked ?? '–') : name}</th>
      <td>{personal?.email ?? emailMasked ?? '–'}</td>
      <td>
        <Status kind="PaymentIdentityStatus" of={identityStatus} />
      </td>
      <td>{identityResults.at(-1)?.message ?? '–'}</td>
      <td>{wordsOf(type)}</td>
      <td>{countryCode ?? '–'}</td>
      <td>{site}</td>
    </tr>
  )
}

function pageOf(params: URLSearchParams): number {
  const text = params.get('page') ?? ''
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1
}

function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10)
}
