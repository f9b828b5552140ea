import type { Contact, Customer } from '../domain/customers/person.ts'
import type { Site, Sites } from '../upstream/client/sites.ts'
import type { PersonSearch, WirePersonPage } from '../upstream/endpoints/customer-endpoints.ts'
import type { UpstreamClient } from '../upstream/upstream-client.ts'
import { combinedPage } from '../upstream/wire/values/wire-fields.ts'
import { fromAllSites, sitesAsked, type ReadFailure, faultOf, readFailure } from './operation-outcome.ts'

/** A customer or a contact with the site whose credentials know it. */
export type Sited<Entry> = Entry & { readonly site: string }

export type SitedCustomer = Sited<Customer>
export type SitedContact = Sited<Contact>

export type PersonPage<Entry> = {
  readonly nodes: readonly Sited<Entry>[]
  readonly totalPages: number | null
  readonly totalCount: number | null
}

export type PersonList<Entry> = { readonly kind: 'done'; readonly page: PersonPage<Entry> } | ReadFailure

export type Found<Entry> = { readonly kind: 'done'; readonly found: Sited<Entry> } | ReadFailure

export type PersonQuery = PersonSearch & { readonly currency: string | null }

type FindOptions = {
  readonly upstream: Pick<UpstreamClient, 'getCustomer' | 'listCustomers' | 'getContact' | 'listContacts'>
  readonly sites: Sites
}

/**
 * Reads a customer from the payments API: of the named site, or of the first one that has it. Nothing of it is kept. Not found only if
 * every site that was asked says so.
 */
export async function findCustomer(
  { upstream, sites }: FindOptions,
  { id, site: named }: { readonly id: string; readonly site: string | null },
): Promise<Found<Customer>> {
  const asked = named === null ? sites.all : [sites.byId(named)].filter((site) => site !== null)
  const answers = await Promise.all(asked.map((site) => read(site, () => upstream.getCustomer(site, id))))
  const found = answers.find(({ kind }) => kind === 'done')
  return found ?? answers.find(({ kind }) => kind !== 'not-found') ?? { kind: 'not-found' }
}

/** Reads a contact of a site from the payments API. Nothing of it is kept. */
export function findContact(
  { upstream }: { readonly upstream: Pick<UpstreamClient, 'getContact'> },
  site: Site,
  email: string,
): Promise<Found<Contact>> {
  return read(site, () => upstream.getContact(site, email))
}

/** Returns one page of the customers of a currency's site, or that page of every site. */
export function listCustomers({ upstream, sites }: FindOptions, query: PersonQuery): Promise<PersonList<Customer>> {
  return list(sites, query, (site, search) => upstream.listCustomers(site, search))
}

/** Returns one page of the contacts of a currency's site, or that page of every site. */
export function listContacts({ upstream, sites }: FindOptions, query: PersonQuery): Promise<PersonList<Contact>> {
  return list(sites, query, (site, search) => upstream.listContacts(site, search))
}

async function list<Entry>(
  sites: Sites,
  { currency, ...search }: PersonQuery,
  ask: (site: Site, search: PersonSearch) => Promise<WirePersonPage<Entry>>,
): Promise<PersonList<Entry>> {
  const answers = await fromAllSites(sitesAsked(sites, currency), (site) => ask(site, search))
  if (!Array.isArray(answers)) return answers
  const nodes = answers.flatMap(({ site, answer }) => answer.entries.map((entry) => ({ ...entry, site: site.id })))
  return { kind: 'done', page: { nodes, ...combinedPage(answers.map(({ answer }) => answer)) } }
}

/** The payments API documents 400 for a detail that it does not have, and 404 and 422 elsewhere: all of them count as not found. */
async function read<Entry>(site: Site, ask: () => Promise<Entry>): Promise<Found<Entry>> {
  try {
    return { kind: 'done', found: { ...(await ask()), site: site.id } }
  } catch (error) {
    const fault = faultOf(error)
    if (fault === null) throw error
    if (fault.kind === 'not-sent' && fault.reason === 'invalid-request') return { kind: 'not-found' }
    const failure = readFailure(fault, site.id)
    return failure.kind === 'upstream-rejected' ? { kind: 'not-found' } : failure
  }
}
