import type { DocumentRequest, PersonRequest, Contact, Customer } from '../../domain/customers/person.ts'
import { requireMatch, requireUuid, sendable, shaped, spanQuery } from '../client/exchange-checks.ts'
import type { Site } from '../client/sites.ts'
import type { Transport } from '../client/transport.ts'
import { notSent } from '../upstream-fault.ts'
import { recordReader, text, usableUuid } from '../wire/values/readers.ts'
import { readAccepted, readPage, unwrapped } from '../wire/values/wire-fields.ts'
import {
  multipartOf,
  toIdentityCheckFields,
  type WireIdentityCheck,
  type WirePicture,
} from '../wire/wire-identity-check.ts'
import { toContactBody, toCustomerBody, toCustomerUpdateBody, readContact, readCustomer } from '../wire/wire-person.ts'

export type PersonSearch = {
  /** At most a year; whole seconds in UTC: `from` is rounded down, `to` up. */
  readonly from: Date
  readonly to: Date
  /** Starts at 1; a page has 20 entries. */
  readonly page: number
}

export type WirePersonPage<Entry> = {
  readonly entries: readonly Entry[]
  readonly totalPages: number | null
  readonly totalCount: number | null
}

type WireCustomerRequest = { readonly person: PersonRequest; readonly document: DocumentRequest }

/** Customers and contacts (gap sheet, sections 22 and 23). Every call rejects with an `UpstreamFault`. */
export type CustomerCalls = {
  /** Creates a customer, and returns its uuid. Sent at most once. Rejects with `mismatch` if the answer names another e-mail address. */
  createCustomer(site: Site, request: WireCustomerRequest): Promise<string>
  /** Replaces what is known of a customer. The endpoint is not published: it is assumed (gap sheet, section 22). */
  updateCustomer(site: Site, request: WireCustomerRequest & { readonly uuid: string }): Promise<void>
  /** Returns a customer. The endpoint is not published: it is assumed (gap sheet, section 22). */
  getCustomer(site: Site, uuid: string): Promise<Customer>
  /** Returns one page of the customers that were created in an interval; unreadable ones are omitted. */
  listCustomers(site: Site, search: PersonSearch): Promise<WirePersonPage<Customer>>
  /** Creates a contact. There is one for each e-mail address. Sent at most once. Rejects with `mismatch` if the answer names another. */
  createContact(site: Site, person: PersonRequest): Promise<void>
  /** Returns a contact. Rejects with `mismatch` if the answer is about another. */
  getContact(site: Site, email: string): Promise<Contact>
  /** Returns one page of the contacts that were created in an interval; unreadable ones are omitted. */
  listContacts(site: Site, search: PersonSearch): Promise<WirePersonPage<Contact>>
}

const CUSTOMERS = '/v2/customers'
const CONTACTS = '/v2/contacts'
const LONGEST_EMAIL = 255

const readCreated = recordReader({ uuid: usableUuid, email: text(LONGEST_EMAIL) })

/** Creates the calls for customers and contacts. */
export function customerCalls(transport: Transport): CustomerCalls {
  async function list<Entry>(
    site: Site,
    path: string,
    { page, ...span }: PersonSearch,
    read: (json: Parameters<typeof readCustomer>[0]) => Entry | null,
  ): Promise<WirePersonPage<Entry>> {
    // The slash at the end is part of the documented path.
    const query = { ...spanQuery(span), page }
    const { status, json } = await transport.request(site, { method: 'GET', path: `${path}/`, query })
    const { records, totalPages, totalCount } = shaped(readPage(json), status)
    return { entries: records.flatMap((record) => read(record) ?? []), totalPages, totalCount }
  }

  return {
    createCustomer: async (site, { person, document }) => {
      const body = sendable(toCustomerBody(person, document))
      const { status, json } = await transport.request(site, { method: 'POST', path: CUSTOMERS, body })
      const read = readCreated(unwrapped(json))
      requireMatch(isSame(read.email, person.email), status)
      return shaped(read.uuid, status)
    },

    updateCustomer: async (site, { uuid, person, document }) => {
      const body = sendable(toCustomerUpdateBody(uuid, person, document))
      const { status, json } = await transport.request(site, { method: 'POST', path: `${CUSTOMERS}/update`, body })
      const read = readCreated(unwrapped(json))
      requireMatch((read.uuid ?? uuid) === uuid, status)
    },

    getCustomer: async (site, uuid) => {
      requireUuid(uuid)
      const path = `${CUSTOMERS}/detail`
      const { status, json } = await transport.request(site, { method: 'GET', path, query: { uuid } })
      const customer = shaped(readCustomer(unwrapped(json)), status)
      requireMatch(customer.id === uuid, status)
      return customer
    },

    listCustomers: (site, search) => list(site, CUSTOMERS, search, readCustomer),

    createContact: async (site, person) => {
      const body = sendable(toContactBody(person))
      const { status, json } = await transport.request(site, { method: 'POST', path: CONTACTS, body })
      const read = readCreated(unwrapped(json))
      requireMatch(isSame(read.email, person.email), status)
    },

    getContact: async (site, email) => {
      if (email === '' || email.length > LONGEST_EMAIL)
        throw notSent('invalid-request', 'The text is no e-mail address.')
      const path = `${CONTACTS}/detail`
      const { status, json } = await transport.request(site, { method: 'GET', path, query: { email } })
      const contact = shaped(readContact(unwrapped(json)), status)
      requireMatch(isSame(contact.email, email), status)
      return contact
    },

    listContacts: (site, search) => list(site, CONTACTS, search, readContact),
  }
}

/** Compares e-mail addresses without regard to case, which the payments API may change; true if the answer names none. */
function isSame(told: string | null, asked: string): boolean {
  return told === null || told.toLowerCase() === asked.toLowerCase()
}

export type IdentityCalls = {
  /**
   * Hands in the documents of a contact, and passes their pictures on as they come (gap sheet, section 23). Returns the status word of the
   * answer, e.g. `Ok`. Sent at most once. Rejects with an `UpstreamFault`; if the pictures end with an error, with that error, and then
   * nothing was handed in: the body lacks its end.
   */
  submitIdentityCheck(
    site: Site,
    request: WireIdentityCheck & { readonly pictures: AsyncIterable<WirePicture> },
  ): Promise<{ readonly statusRaw: string }>
}

/** Creates the call for identity checks. */
export function identityCalls(transport: Transport): IdentityCalls {
  return {
    submitIdentityCheck: async (site, { pictures, ...request }) => {
      const body = multipartOf(sendable(toIdentityCheckFields(request)), pictures)
      const { status, json } = await transport.upload(site, { path: '/v2/contacts/submit_kyc', body })
      return { statusRaw: shaped(readAccepted(json).status, status) }
    },
  }
}
