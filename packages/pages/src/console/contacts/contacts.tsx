import { ContactsOfDaysDocument, type ContactsOfDaysQuery } from '../generated/graphql.ts'
import { useAnswer } from '../pieces/answers.tsx'
import { List, PAGE } from '../pieces/list.tsx'
import { Needs, Page } from '../pieces/page.tsx'
import { Status, wordsOf } from '../pieces/values.tsx'
import type { Route } from '../routes/route.ts'
import { useSession } from '../session/session.ts'

const COLUMNS = ['Contact', 'E-mail', 'Identity', 'Reason', 'Kind', 'Country', 'Account']
const DAYS = 30
const DAY_MS = 24 * 3_600_000
/** Milliseconds between two reads: each asks the payments API. */
const EVERY_MS = 60_000

type Contact = NonNullable<ContactsOfDaysQuery['paymentContacts']>['nodes'][number]

/** The contacts of the last days with the state of their identity checks. Nothing of them is in the address of the page. */
export function Contacts({ route }: { readonly route: Route }) {
  const { claims } = useSession()
  const now = Date.now()
  const variables = {
    from: dayOf(now - DAYS * DAY_MS),
    to: dayOf(now),
    first: PAGE,
    after: route.params.get('after'),
    pii: claims.scopes.has('customers:pii'),
  }
  const answer = useAnswer(ContactsOfDaysDocument, variables, { everyMs: EVERY_MS })
  return (
    <Page title="Contacts">
      <p>Made within the last {DAYS} days, read from the payments API.</p>
      <Needs scopes={['customers:pii']} what="Names and addresses">
        {null}
      </Needs>
      <List route={route} what="contacts" answer={answer} list={answer.data?.paymentContacts} columns={COLUMNS}>
        {(contact) => <ContactRow key={contact.id} contact={contact} />}
      </List>
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

function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10)
}
