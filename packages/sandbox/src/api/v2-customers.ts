import { randomBytes } from 'node:crypto'
import {
  parseForm,
  readIdentityForm,
  readContact,
  readCustomer,
  beginCheck,
  contactRecord,
  contactKey,
} from '../customers/sandbox-customer.ts'
import { badQuery, badRequest, json, unprocessable } from '../http/answers.ts'
import type { SandboxCustomer } from '../state/customer.ts'
import type { SandboxSite, SandboxStore } from '../state/sandbox-store.ts'
import { problemText } from '../values/request-fields.ts'
import type { ApiRoutes } from './api.ts'
import { listPage, readListQuery } from './queries.ts'

/** Customers and contacts: create, detail and list (gap sheet, sections 22 and 23); the update of a customer is assumed. */
export function v2Customers(api: ApiRoutes, store: SandboxStore): void {
  const customerOf = ({ id }: SandboxSite, uuid: unknown) => {
    const customer = typeof uuid === 'string' ? store.customers.get(uuid) : undefined
    return customer?.siteId === id ? customer : undefined
  }
  const addList = <Entry extends Listed>(
    path: string,
    all: ReadonlyMap<string, Entry>,
    show: (entry: Entry) => object,
  ): void =>
    api.get(path, (call, site) => {
      const query = readListQuery(call.query)
      if ('problem' in query) return badQuery(query.problem)
      const found = [...all.values()]
        .filter((entry) => entry.siteId === site.id && isWithin(entry, query.filter))
        .reverse()
      return json(200, listPage(found, query, show))
    })

  api.postJson('/v2/customers', (body, site) => {
    const read = readCustomer(body)
    if ('problems' in read) return unprocessable(read.problems)
    const uuid = `customer_${randomBytes(8).toString('hex')}`
    const customer = { uuid, siteId: site.id, createdAt: store.clock.now(), ...read }
    store.customers.set(uuid, customer)
    return json(200, { uuid, email: read.person['email'] })
  })

  api.postJson('/v2/customers/update', (body, site) => {
    const customer = customerOf(site, body['uuid'])
    if (customer === undefined) return unprocessable({ uuid: 'does not exist' })
    const read = readCustomer(body)
    if ('problems' in read) return unprocessable(read.problems)
    Object.assign(customer, read)
    return json(200, { uuid: customer.uuid, email: read.person['email'] })
  })

  api.get('/v2/customers/detail', (call, site) => {
    const customer = customerOf(site, call.query.get('uuid'))
    return customer === undefined ? badRequest() : json(200, customerRecord(customer))
  })

  addList('/v2/customers/', store.customers, customerRecord)

  api.postJson('/v2/contacts', (body, site) => {
    const read = readContact(body)
    if ('problems' in read) return unprocessable(read.problems)
    const email = read.person['email'] ?? ''
    const siteId = site.id
    const key = contactKey(siteId, email)
    if (store.contacts.has(key)) return unprocessable({ email: 'has already been taken' })
    store.contacts.set(key, { siteId, email, createdAt: store.clock.now(), ...read, ...unchecked() })
    return json(200, { email })
  })

  api.post(
    '/v2/contacts/submit_kyc',
    async (call, site) => {
      const form = await parseForm(call.request.headers, call.body)
      if (form === undefined) return badRequest()
      const read = readIdentityForm(form)
      if ('problems' in read) return unprocessable(problemText(read.problems))
      const contact = store.contacts.get(contactKey(site.id, read.email))
      if (contact === undefined) return unprocessable('email does not exist')
      contact.identity = read.identity
      contact.target = read.target
      beginCheck(store, contact)
      return json(200, { status: 'Ok' })
    },
    LARGEST_FORM,
  )

  api.get('/v2/contacts/detail', (call, site) => {
    const email = call.query.get('email')
    if (email === null || email === '') return badQuery('email is missing')
    const contact = store.contacts.get(contactKey(site.id, email))
    return contact === undefined ? badQuery('there is no such contact') : json(200, contactRecord(contact))
  })

  addList('/v2/contacts/', store.contacts, contactRecord)
}

/** Bytes of a form with three pictures. */
const LARGEST_FORM = 32 * 1024 * 1024

/** A contact of which no document was handed in. */
const unchecked = () => ({ identity: null, results: [], target: undefined, step: undefined })

type Listed = { readonly siteId: string; readonly createdAt: Date }

function isWithin({ createdAt }: Listed, { from, to }: { readonly from?: Date; readonly to?: Date }): boolean {
  return (from === undefined || createdAt >= from) && (to === undefined || createdAt <= to)
}

function customerRecord({ uuid, person, identity }: SandboxCustomer): object {
  return { uuid, ...person, identity }
}
