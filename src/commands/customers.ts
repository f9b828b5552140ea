import {
  documentProblems,
  type DocumentRequest,
  normalisePerson,
  personAsRequested,
  personProblems,
  type PersonRequest,
  type Customer,
} from '../domain/customers/person.ts'
import { keyProblem, present, type Problem, problem } from '../domain/field-problems.ts'
import type { SitedCustomer, SitedContact } from '../lookups/find-customers.ts'
import { type InvalidInput, siteProblem, faultOf } from '../lookups/operation-outcome.ts'
import type { Site } from '../upstream/client/sites.ts'
import { searchPages } from '../upstream/endpoints/agreement-endpoints.ts'
import { maskedNumber } from '../upstream/wire/values/readers.ts'
import { spansAround, type CommandOutcome, type Task } from './idempotency/task.ts'
import type { CommandParts } from './parts.ts'

export type CustomerRequest = {
  readonly idempotencyKey: string
  readonly currency: string
  readonly site?: string | null | undefined
  readonly person: PersonRequest
  readonly document: DocumentRequest
}

export type CustomerUpdateRequest = CustomerRequest & { readonly customerId: string }

type CustomerOutcome = CommandOutcome<SitedCustomer> | InvalidInput

/** Milliseconds after which a creation without an answer and without a trace is sent again. A second customer harms nobody. */
const REPEAT_CUSTOMER_AFTER_MS = 30_000

/**
 * Creates a customer of a site. What was sent is not stored: the record of the command contains the customer's id alone, and a repeat
 * describes the customer as its input does. Source: gap sheet, section 22.
 */
export function createCustomer(options: CommandParts, asked: CustomerRequest): Promise<CustomerOutcome> {
  return run(options, asked, ({ request, site, done }) => ({
    mutation: 'createPaymentCustomer',
    repeatAfterMs: REPEAT_CUSTOMER_AFTER_MS,
    send: () => options.upstream.createCustomer(site, request),
    findOutcome: ({ sentAt }) => findCustomer(options, site, { request, sentAt }),
    done,
  }))
}

/** Replaces what the payments API knows of a customer. The same input may be sent again. Source: gap sheet, section 22. */
export function updateCustomer(options: CommandParts, asked: CustomerUpdateRequest): Promise<CustomerOutcome> {
  return run(options, asked, ({ request, site, done }) => ({
    mutation: 'updatePaymentCustomer',
    repeatAfterMs: 0,
    send: async () => {
      await options.upstream.updateCustomer(site, { ...request, uuid: request.customerId })
      return request.customerId
    },
    findOutcome: async () => null,
    done,
  }))
}

type Step = Pick<Task<string, SitedCustomer>, 'mutation' | 'repeatAfterMs' | 'send' | 'findOutcome'> & {
  readonly done: (id: string) => SitedCustomer
}

type StepParts<Request> = { readonly request: Request; readonly site: Site; readonly done: Step['done'] }

async function run<Request extends CustomerRequest>(
  { store, sites, once, clock }: CommandParts,
  asked: Request,
  stepOf: (parts: StepParts<Request>) => Step,
): Promise<CustomerOutcome> {
  const request = { ...asked, person: normalisePerson(asked.person) }
  const site = sites.forCurrency(request.currency, request.site ?? null)
  const wanted = { amount: { currency: request.currency }, site: request.site }
  if (site === null) return { kind: 'invalid-input', problems: [siteProblem(sites, wanted, ['currency'])] }
  const { done, ...step } = stepOf({ request, site, done: (id) => customerAsRequested(id, site, request) })
  const task: Task<string, SitedCustomer> = {
    ...step,
    key: request.idempotencyKey,
    input: request,
    site: site.id,
    refKind: null,
    settle: async (command, customerId) => {
      await store.commands.settle(command.id, { customerId })
      return done(customerId)
    },
    replay: async (command) => done((command.result as { customerId: string }).customerId),
  }
  // Before the rules: a document that was valid at the first request may have expired since, and its result still counts.
  const earlier = await once.earlier(task)
  if (earlier !== null) return earlier
  const problems = customerRequestProblems(request, clock())
  return problems.length > 0 ? { kind: 'invalid-input', problems } : once.run(task)
}

function customerRequestProblems(request: CustomerRequest & { customerId?: string }, now: Date): Problem[] {
  const today = now.toISOString().slice(0, 'YYYY-MM-DD'.length)
  const { idempotencyKey, customerId, person, document } = request
  return present([
    keyProblem(idempotencyKey),
    customerId === undefined || /^[\w-]{1,64}$/.test(customerId)
      ? null
      : { path: ['customerId'], message: 'must be the id of a customer' },
    ...personProblems(person, today, ['person']),
    ...documentProblems(document, today, ['document']),
  ])
}

function customerAsRequested(id: string, site: Site, { person, document }: CustomerRequest): SitedCustomer {
  const { number, type, ...rest } = document
  const shown = { ...rest, type, typeRaw: type, numberMasked: maskedNumber(number) }
  return { id, site: site.id, ...personAsRequested(person), document: shown }
}

/** Finds a customer who was created around an attempt, and who has the same e-mail address, names and date of birth. */
async function findCustomer(
  { upstream }: CommandParts,
  site: Site,
  { request: { person }, sentAt }: { readonly request: CustomerRequest; readonly sentAt: number },
): Promise<string | null> {
  const found = await searchPages<Customer>({
    spans: spansAround(sentAt),
    list: async (search) => {
      const { entries, totalPages } = await upstream.listCustomers(site, search)
      return { entries, hasMore: totalPages === null ? null : search.page < totalPages }
    },
    matches: ({ personal }) =>
      personal.email?.toLowerCase() === person.email.toLowerCase() &&
      personal.firstName === person.firstName &&
      personal.lastName === person.lastName &&
      personal.dateOfBirth === person.dateOfBirth,
  })
  return found?.id ?? null
}

export type ContactRequest = {
  readonly idempotencyKey: string
  readonly currency: string
  readonly site?: string | null | undefined
  readonly person: PersonRequest
}

/** Milliseconds after which a creation without an answer is sent again, if the contact is not there. */
const REPEAT_CONTACT_AFTER_MS = 10_000

/**
 * Creates a contact of a site. The payments API has one for each e-mail address, so a second creation is refused there. Nothing of what
 * was sent is stored. Source: gap sheet, section 23.
 */
export async function createContact(
  options: CommandParts,
  asked: ContactRequest,
): Promise<CommandOutcome<SitedContact> | InvalidInput> {
  const request = { ...asked, person: normalisePerson(asked.person) }
  const { sites, once, clock } = options
  const wanted = { amount: { currency: request.currency }, site: request.site }
  const site = sites.forCurrency(request.currency, request.site ?? null)
  if (site === null) return { kind: 'invalid-input', problems: [siteProblem(sites, wanted, ['currency'])] }
  const problems = contactRequestProblems(request, clock())
  if (problems.length > 0) return { kind: 'invalid-input', problems }
  return once.run(contactTask(options, request, site))
}

function contactTask(
  { store, upstream }: CommandParts,
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
    repeatAfterMs: REPEAT_CONTACT_AFTER_MS,
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
    findOutcome: () => findContact(upstream, site, person),
  }
}

/** Returns the contact with the e-mail address, if it has the same name. A refusal of the read means that there is none. */
async function findContact(
  upstream: CommandParts['upstream'],
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
function contactRequestProblems({ idempotencyKey, person }: ContactRequest, now: Date): Problem[] {
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
