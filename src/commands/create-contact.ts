import { normalisePerson, personAsRequested, personProblems, type PersonRequest } from '../domain/customers/person.ts'
import { keyProblem, present, problem, type Problem } from '../domain/field-problems.ts'
import type { SitedContact } from '../lookups/find-customers.ts'
import { type CommandFailure, type InvalidInput, siteProblem, faultOf } from '../lookups/operation-outcome.ts'
import type { Store } from '../store/store.ts'
import type { Site, Sites } from '../upstream/client/sites.ts'
import type { UpstreamClient } from '../upstream/client/upstream-client.ts'
import type { IdempotentCommands } from './idempotency/idempotent-command.ts'
import type { Task } from './idempotency/task.ts'

export type ContactRequest = {
  readonly idempotencyKey: string
  readonly currency: string
  readonly site?: string | null | undefined
  readonly person: PersonRequest
}

export type ContactOptions = {
  readonly store: Pick<Store, 'commands'>
  readonly upstream: Pick<UpstreamClient, 'createContact' | 'getContact'>
  readonly sites: Sites
  readonly once: IdempotentCommands
  readonly clock: () => Date
}

export type ContactOutcome =
  | { readonly kind: 'done'; readonly contact: SitedContact; readonly replayed: boolean }
  | InvalidInput
  | CommandFailure

/** Milliseconds after which a creation without an answer is sent again, if the contact is not there. */
const REPEAT_AFTER_MS = 10_000

/**
 * Creates a contact of a site. The payments API has one for each e-mail address, so a second creation is refused there. Nothing of what
 * was sent is stored. Source: gap sheet, section 23.
 */
export async function createContact(options: ContactOptions, asked: ContactRequest): Promise<ContactOutcome> {
  const request = { ...asked, person: normalisePerson(asked.person) }
  const { sites, once, clock } = options
  const wanted = { amount: { currency: request.currency }, site: request.site }
  const site = sites.forCurrency(request.currency, request.site ?? null)
  if (site === null) return { kind: 'invalid-input', problems: [siteProblem(sites, wanted, ['currency'])] }
  const problems = requestProblems(request, clock())
  if (problems.length > 0) return { kind: 'invalid-input', problems }
  const outcome = await once.run(contactTask(options, request, site))
  return outcome.kind === 'done' ? { kind: 'done', contact: outcome.result, replayed: outcome.replayed } : outcome
}

function contactTask(
  { store, upstream }: ContactOptions,
  request: ContactRequest,
  site: Site,
): Task<SitedContact, SitedContact> {
  const { person } = request
  const requested: SitedContact = {
    site: site.id,
    email: person.email,
    identity: [],
    document: null,
    ...personAsRequested(person),
  }
  return {
    mutation: 'createPaymentContact',
    key: request.idempotencyKey,
    input: request,
    site: site.id,
    refKind: null,
    repeatAfterMs: REPEAT_AFTER_MS,
    uniqueUpstream: true,
    send: async () => {
      await upstream.createContact(site, person)
      return requested
    },
    settle: async (command, contact) => {
      await store.commands.settle(command.id, {})
      return contact
    },
    // It is read, since its identity may have been checked meanwhile.
    replay: async () => ({ ...(await upstream.getContact(site, person.email)), site: site.id }),
    findOutcome: () => findCreated(upstream, site, person),
  }
}

/** Returns the contact with the e-mail address, if it has the same name. A refusal of the read means that there is none. */
async function findCreated(
  upstream: ContactOptions['upstream'],
  site: Site,
  { email, firstName, lastName }: PersonRequest,
): Promise<SitedContact | null> {
  try {
    const contact = await upstream.getContact(site, email)
    const { personal } = contact
    const isSame = personal.firstName === firstName && personal.lastName === lastName
    return isSame ? { ...contact, site: site.id } : null
  } catch (error) {
    if (faultOf(error)?.kind === 'refused') return null
    throw error
  }
}

/** A contact has no middle name, no second line of street, and two genders (gap sheet, section 23). */
function requestProblems({ idempotencyKey, person }: ContactRequest, now: Date): Problem[] {
  const today = now.toISOString().slice(0, 'YYYY-MM-DD'.length)
  const absent = (name: 'middleName' | 'street2') =>
    person[name] == null ? null : problem('has no place in a contact', ['person', name])
  return present([
    keyProblem(idempotencyKey),
    absent('middleName'),
    absent('street2'),
    person.gender === 'other' ? problem('must be MALE or FEMALE for a contact', ['person', 'gender']) : null,
    ...personProblems(person, today, ['person']),
  ])
}
