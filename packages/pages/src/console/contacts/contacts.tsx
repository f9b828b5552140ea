import { useState } from 'preact/hooks'
import { ActionButton } from '../actions/actions.tsx'
import { ContactsOfDaysDocument, type ContactsOfDaysQuery } from '../generated/graphql.ts'
import { useAnswer } from '../pieces/answers.tsx'
import { List, PAGE } from '../pieces/list.tsx'
import { Banner, Fact, Facts, Needs, Page } from '../pieces/page.tsx'
import { Status, wordsOf } from '../pieces/values.tsx'
import type { Route } from '../routes/route.ts'
import { useScope } from '../session/session.ts'
import { IdentityCheck } from './contact-drawers.tsx'

const DAYS = 30
const DAY_MS = 24 * 3_600_000
/** Milliseconds between two reads: each asks the payments API. */
const EVERY_MS = 60_000

type Contact = NonNullable<ContactsOfDaysQuery['paymentContacts']>['nodes'][number]

/** The contacts of the last days, and one of them with its identity checks. Nothing of them is in the address of the page. */
export function Contacts({ route }: { readonly route: Route }) {
  const now = Date.now()
  const variables = {
    from: dayOf(now - DAYS * DAY_MS),
    to: dayOf(now),
    first: PAGE,
    after: route.params.get('after'),
    pii: useScope('customers:pii'),
  }
  const answer = useAnswer(ContactsOfDaysDocument, variables, { everyMs: EVERY_MS })
  const [chosenId, choose] = useState<string | null>(null)
  const list = answer.data?.paymentContacts
  const chosen = list?.nodes.find(({ id }) => id === chosenId) ?? null
  return (
    <Page title="Contacts" actions={<ActionButton name="contact" isMain />}>
      <p class="note">Created within the last {DAYS} days, as the payments API lists them.</p>
      <Needs scopes={['customers:pii']} what="Names and addresses">
        {null}
      </Needs>
      <div class={chosen === null ? undefined : 'split'}>
        <div>
          <List
            route={route}
            what="contacts"
            answer={answer}
            list={list}
            columns={['Contact', 'Identity', 'Kind', 'Country', 'Site']}
            isFolding
          >
            {(contact) => (
              <tr key={contact.id} aria-current={contact.id === chosenId ? 'true' : undefined}>
                <th scope="row" class="lead">
                  <button class="two-line plain" type="button" data-row onClick={() => choose(contact.id)}>
                    <span class="cut">{nameOf(contact)}</span>
                    <span class="faint cut">{emailOf(contact)}</span>
                  </button>
                </th>
                <td class="end lead">
                  <Status kind="PaymentIdentityStatus" of={contact.identityStatus} />
                </td>
                <td class="faint drop">{wordsOf(contact.type)}</td>
                <td class="faint drop">{contact.countryCode ?? '–'}</td>
                <td class="faint drop">{contact.site}</td>
              </tr>
            )}
          </List>
        </div>
        {chosen !== null && <Details key={chosen.id} of={chosen} onChecked={answer.askAgain} />}
      </div>
    </Page>
  )
}

type DetailsProps = { readonly of: Contact; readonly onChecked: () => void }

function Details({ of: contact, onChecked }: DetailsProps) {
  const { identityStatus, identityResults, type, countryCode, site } = contact
  const email = contact.personal?.email ?? null
  const [isChecking, setChecking] = useState(false)
  const mayWrite = useScope('customers:write')
  return (
    <section class="card detail" aria-labelledby="contact">
      <header>
        <h2 id="contact" class="row wrap">
          {nameOf(contact)} <Status kind="PaymentIdentityStatus" of={identityStatus} isFilled />
        </h2>
      </header>
      <div class="body stack-5">
        {identityStatus === 'REJECTED' && (
          <Banner tone="look" glyph="doubt" title="The identity check was rejected">
            <p>Methods that need a verified payer are not offered. Ask the customer for another document.</p>
          </Banner>
        )}
        <Facts>
          <Fact name="E-mail">{emailOf(contact)}</Fact>
          <Fact name="Kind">{wordsOf(type)}</Fact>
          <Fact name="Country">{countryCode}</Fact>
          <Fact name="Site">{site}</Fact>
        </Facts>
        {mayWrite && email !== null && (
          <button class="button" type="button" onClick={() => setChecking(true)}>
            Check the identity …
          </button>
        )}
        {isChecking && email !== null && (
          <IdentityCheck
            email={email}
            site={site}
            onClose={() => {
              setChecking(false)
              onChecked()
            }}
          />
        )}
        {identityResults.length > 0 && (
          <section aria-labelledby="checks">
            <h3 id="checks">Identity checks</h3>
            <ol class="stack-3">
              {identityResults.map(({ status, statusRaw, message }, index) => (
                <li key={index}>
                  <Status kind="PaymentIdentityStatus" of={status} raw={statusRaw} />{' '}
                  {message != null && <span class="faint">{message}</span>}
                </li>
              ))}
            </ol>
          </section>
        )}
      </div>
    </section>
  )
}

function nameOf({ personal, nameMasked }: Contact): string {
  return [personal?.firstName, personal?.lastName].filter(Boolean).join(' ') || (nameMasked ?? '–')
}

function emailOf({ personal, emailMasked }: Contact): string {
  return personal?.email ?? emailMasked ?? '–'
}

function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10)
}
